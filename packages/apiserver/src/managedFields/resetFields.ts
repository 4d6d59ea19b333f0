/** Fields that a path of the API never owns: what it writes there is put back. */
import type { Kind, Schema, UnknownObject } from '@vireo/api';
import type { Resource } from '../registry/resource.ts';
import { type Comparison, compare } from './compare.ts';
import { EMPTY_SET, type FieldSet, isEmptySet, recursiveDifference, restrictTo } from './fieldSet.ts';

const STATUS: FieldSet = { 'f:status': {} };
const SPEC: FieldSet = { 'f:spec': {} };
const METADATA_AND_SPEC: FieldSet = { 'f:metadata': {}, 'f:spec': {} };

/** Of status endpoints of built-in kinds, beyond the spec. */
const MORE: Readonly<Record<string, FieldSet>> = {
  'apps/Deployment': { 'f:metadata': { 'f:labels': {} }, 'f:spec': {} },
  '/Pod': { 'f:metadata': { 'f:deletionTimestamp': {}, 'f:ownerReferences': {} }, 'f:spec': {} },
  'certificates.k8s.io/CertificateSigningRequest': { 'f:spec': {}, 'f:status': { 'f:conditions': {} } },
  'storage.k8s.io/VolumeAttachment': METADATA_AND_SPEC,
  'resource.k8s.io/ResourceClaim': METADATA_AND_SPEC,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': METADATA_AND_SPEC,
};

/** Leaves of a set what a writer can own. */
export type FieldFilter = (fields: FieldSet) => FieldSet;

const EVERYTHING: FieldFilter = (fields) => fields;
const EPHEMERAL_CONTAINERS: FieldSet = { 'f:spec': { 'f:ephemeralContainers': {} } };

/** What a write through `subresource` can own. */
export function ownableFields({ kind, custom }: Resource, subresource: string): FieldFilter {
  if (subresource === 'ephemeralcontainers') return (fields) => restrictTo(fields, EPHEMERAL_CONTAINERS);
  const ignored = resetFields(kind, custom, subresource);
  return ignored ? (fields) => recursiveDifference(fields, ignored) : EVERYTHING;
}

/** What a write through `subresource` changes of what it can own. The rest of the object is not looked at. */
export function ownableChanges(
  live: UnknownObject | undefined,
  now: UnknownObject,
  schema: Schema,
  resource: Resource,
  subresource: string,
): Comparison {
  const ignored = resetFields(resource.kind, resource.custom, subresource) ?? EMPTY_SET;
  const parts = Object.keys(ignored).filter((element) => isEmptySet(ignored[element] as FieldSet));
  const { added, modified, removed } = compare(without(live, parts), without(now, parts), schema);
  const ownable = ownableFields(resource, subresource);
  return { added: ownable(added), modified: ownable(modified), removed: ownable(removed) };
}

function without(object: UnknownObject | undefined, parts: readonly string[]): Record<string, unknown> | undefined {
  if (!object || parts.length === 0) return object;
  const rest: Record<string, unknown> = { ...object };
  for (const element of parts) delete rest[element.slice(2)];
  return rest;
}

function resetFields(kind: Kind, custom: boolean, subresource: string): FieldSet | undefined {
  if (subresource === '') return kind.status ? STATUS : undefined;
  if (subresource === 'approval') return { 'f:spec': {}, 'f:status': { 'f:certificate': {} } };
  if (subresource !== 'status') return undefined;
  return custom ? METADATA_AND_SPEC : (MORE[`${kind.group}/${kind.kind}`] ?? SPEC);
}

/** What nobody owns: the server sets it, or it is the same for ever. */
const UNTRACKED: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
};
const UNTRACKED_METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];
const METADATA: FieldSet = Object.fromEntries(UNTRACKED_METADATA.map((name) => [`f:${name}`, {}]));

/** A set without the fields that nobody owns. */
export function strip(fields: FieldSet): FieldSet {
  const rest = recursiveDifference(fields, UNTRACKED);
  const metadata = rest['f:metadata'];
  if (!metadata) return rest;
  const { '.': _, ...below } = metadata;
  const kept = recursiveDifference(below, METADATA);
  const { 'f:metadata': _m, ...others } = rest;
  if (Object.keys(kept).length === 0) return others;
  return kept === below && !('.' in metadata) ? rest : sorted({ ...others, 'f:metadata': kept });
}

const sorted = (set: FieldSet): FieldSet =>
  Object.fromEntries(Object.entries(set).sort(([a], [b]) => (a < b ? -1 : 1)));
