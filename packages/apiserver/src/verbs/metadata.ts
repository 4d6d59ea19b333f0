import { randomUUID } from 'node:crypto';
import { type ObjectMeta, timestamp, type UnknownObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import type { Resource } from '../registry/resource.ts';

/** Metadata of a new object: what the server sets is set, whatever the client sent. */
export function newMetadata(resource: Resource, sent: ObjectMeta, namespace: string | undefined): ObjectMeta {
  const { name, generateName, labels, annotations, finalizers, ownerReferences } = sent;
  return {
    ...(name !== undefined && { name }),
    ...(generateName !== undefined && { generateName }),
    ...(resource.kind.namespaced && namespace !== undefined && { namespace }),
    uid: randomUUID(),
    ...(resource.kind.generation && { generation: 1 }),
    creationTimestamp: timestamp(),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ...(ownerReferences !== undefined && { ownerReferences }),
    ...(finalizers !== undefined && { finalizers }),
  };
}

/**
 * Metadata of a change: only what clients may change comes from them. A deletion that they try to begin this way stays
 * in, for validation to refuse.
 */
export function changedMetadata(sent: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const { generateName, labels, annotations, finalizers, ownerReferences, managedFields } = sent;
  const { deletionTimestamp, deletionGracePeriodSeconds } = sent;
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, managedFields: _m, ...others } = old;
  const { generateName: _, ...kept } = others;
  return {
    ...kept,
    ...(deletionTimestamp && !old.deletionTimestamp && { deletionTimestamp }),
    ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
    ...(generateName !== undefined && { generateName }),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ...(ownerReferences !== undefined && { ownerReferences }),
    ...(finalizers !== undefined && { finalizers }),
    ...(managedFields !== undefined && { managedFields }),
  };
}

/** Whether anything but metadata and (where it is written separately) status differs. */
export function desiredStateDiffers(resource: Resource, a: UnknownObject, b: UnknownObject): boolean {
  return !deepEqual(desiredState(resource, a), desiredState(resource, b));
}

function desiredState(resource: Resource, object: UnknownObject): Record<string, unknown> {
  const { apiVersion: _v, kind: _k, metadata: _m, ...rest } = object as Record<string, unknown>;
  if (resource.kind.status) delete rest.status;
  return rest;
}

/** `object` at a revision, ready for the store. Shares everything but the metadata. */
export const atRevision = (object: UnknownObject, revision: number): UnknownObject => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(revision) },
});
