import type { Kind, OwnerReference, UnknownObject } from '@vireo/api';
import { type Client, ignoreNotFound, type Recorder, type ResourceClient } from '@vireo/kube';
import type { ServedKinds } from '../servedKinds.ts';
import { decideDependent, type OwnerState } from './decide.ts';
import { awaits, blockingDependents, FOREGROUND, type GraphNode, ORPHAN, type OwnerGraph, ownersOf } from './graph.ts';

export interface CollectorParts {
  readonly client: Client;
  readonly graph: OwnerGraph;
  readonly served: ServedKinds;
  readonly recorder: Recorder;
  readonly enqueue: (uid: string) => void;
}

/** A dependent without namespace names an owner in one: nobody can say which. Such objects are left alone. */
class UnresolvableOwner extends Error {}

/** Brings one object in line with what became of its owners, or its dependents in line with how it goes. */
export async function collect(uid: string, parts: CollectorParts): Promise<void> {
  const node = parts.graph.get(uid);
  if (!node?.object) return;
  if (awaits(node, ORPHAN)) return orphanDependents(node, parts);
  if (awaits(node, FOREGROUND)) return awaitDependents(node, parts);
  if (ownersOf(node).length === 0 || node.object.metadata.deletionTimestamp) return;
  try {
    await collectDependent(node, parts);
  } catch (error) {
    if (!(error instanceof UnresolvableOwner)) throw error;
    const { kind, metadata } = node.object;
    const object = {
      apiVersion: kind.group ? `${kind.group}/${kind.version}` : kind.version,
      kind: kind.kind,
      metadata,
    };
    parts.recorder.event(object, 'Warning', 'OwnerRefInvalidNamespace', error.message);
  }
}

async function collectDependent(node: GraphNode, parts: CollectorParts): Promise<void> {
  const states = new Map<OwnerReference, OwnerState>();
  for (const owner of ownersOf(node)) states.set(owner, await ownerState(node, owner, parts));
  const decision = decideDependent(node, states);
  switch (decision.action) {
    case 'nothing':
      return;
    case 'dropOwners':
      return dropOwners(node, new Set(decision.owners.map(({ uid }) => uid)), parts);
    case 'unblockAndDelete':
      await patchMetadata(
        node,
        { ownerReferences: ownersOf(node).map((each) => ({ ...each, blockOwnerDeletion: false })) },
        parts,
      );
      return;
    case 'delete':
      return remove(node, decision.propagationPolicy, parts);
  }
}

/** From the graph where the owner is known; else the API is asked, for nothing is deleted on hearsay. */
async function ownerState(node: GraphNode, owner: OwnerReference, parts: CollectorParts): Promise<OwnerState> {
  const known = parts.graph.get(owner.uid);
  if (known?.object && matchesOwner(node, owner, known)) return awaits(known, FOREGROUND) ? 'waiting' : 'solid';
  const kind = findKind(owner, parts.served);
  if (!kind)
    throw new Error(
      `${describe(node)} is owned by ${owner.kind} ${owner.name}, but ${owner.apiVersion} ${owner.kind} is not served, so it is kept`,
    );
  const namespace = node.object?.metadata.namespace;
  if (kind.namespaced && namespace === undefined)
    throw new UnresolvableOwner(
      `ownerRef [${owner.apiVersion}/${owner.kind}, namespace: , name: ${owner.name}, uid: ${owner.uid}] does not exist in namespace ""`,
    );
  const found = await clientOf(kind, parts).find(owner.name, { namespace: kind.namespaced ? namespace : undefined });
  if (found?.metadata.uid !== owner.uid) return 'absent';
  const isWaiting = found.metadata.deletionTimestamp && found.metadata.finalizers?.includes(FOREGROUND);
  return isWaiting ? 'waiting' : 'solid';
}

/** Whether the reference names this very object: an owner in another namespace, or under another name, is none. */
function matchesOwner(node: GraphNode, owner: OwnerReference, { object }: GraphNode): boolean {
  if (!object || object.kind.kind !== owner.kind || object.kind.group !== groupOf(owner)) return false;
  const { name, namespace } = object.metadata;
  return name === owner.name && (!object.kind.namespaced || namespace === node.object?.metadata.namespace);
}

async function orphanDependents(owner: GraphNode, parts: CollectorParts): Promise<void> {
  await Promise.all([...owner.dependents].map((dependent) => dropOwners(dependent, new Set([owner.uid]), parts)));
  await dropFinalizer(owner, ORPHAN, parts);
}

async function awaitDependents(owner: GraphNode, parts: CollectorParts): Promise<void> {
  const awaited = blockingDependents(owner);
  if (awaited.length === 0) return dropFinalizer(owner, FOREGROUND, parts);
  for (const { uid, object } of awaited) if (!object?.metadata.deletionTimestamp) parts.enqueue(uid);
}

function dropOwners(node: GraphNode, uids: ReadonlySet<string>, parts: CollectorParts): Promise<void> {
  const ownerReferences = ownersOf(node).filter(({ uid }) => !uids.has(uid));
  return patchMetadata(node, { ownerReferences: ownerReferences.length > 0 ? ownerReferences : null }, parts);
}

function dropFinalizer(node: GraphNode, finalizer: string, parts: CollectorParts): Promise<void> {
  const finalizers = (node.object?.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  return patchMetadata(node, { finalizers: finalizers.length > 0 ? finalizers : null }, parts);
}

/** Lists are replaced whole, so the patch holds only for the version that was looked at. */
async function patchMetadata(node: GraphNode, change: Record<string, unknown>, parts: CollectorParts): Promise<void> {
  if (!node.object) return;
  const { kind, metadata } = node.object;
  await clientOf(kind, parts).patchIfUnchanged({ metadata }, { metadata: change }).catch(ignoreNotFound);
}

async function remove(
  node: GraphNode,
  propagationPolicy: 'Orphan' | 'Background' | 'Foreground',
  parts: CollectorParts,
): Promise<void> {
  if (!node.object) return;
  const { kind, metadata } = node.object;
  const { uid, resourceVersion, name, namespace } = metadata;
  const preconditions = { uid, resourceVersion };
  await clientOf(kind, parts).delete(name, { namespace, propagationPolicy, preconditions }).catch(ignoreNotFound);
}

const clientOf = (kind: Kind, { client }: CollectorParts): ResourceClient<UnknownObject> =>
  client.of(kind as Kind<UnknownObject>);

/** Versions of one kind are one thing: a reference may name any of them. */
function findKind(owner: OwnerReference, served: ServedKinds): Kind | undefined {
  const group = groupOf(owner);
  for (const kind of served.list()) if (kind.kind === owner.kind && kind.group === group) return kind;
  return undefined;
}

const groupOf = ({ apiVersion }: OwnerReference): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

const describe = ({ object }: GraphNode): string =>
  `${object?.kind.kind} ${object?.metadata.namespace ? `${object.metadata.namespace}/` : ''}${object?.metadata.name}`;
