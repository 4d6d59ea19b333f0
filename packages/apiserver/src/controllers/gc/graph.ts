import type { Kind, ObjectMeta, OwnerReference, Persisted, UnknownObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';

export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** An object as the collector knows it: its metadata and who depends on it. */
export interface GraphNode {
  readonly uid: string;
  /** Absent while the object is only known from references to it. */
  object?: { readonly kind: Kind; readonly metadata: Persisted['metadata'] };
  readonly dependents: Set<GraphNode>;
}

/** Whether the object is being deleted and waits for the collector to deal with its dependents first. */
export const awaits = (node: GraphNode, finalizer: typeof ORPHAN | typeof FOREGROUND): boolean => {
  const metadata = node.object?.metadata;
  return metadata?.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);
};

export const ownersOf = (node: GraphNode): readonly OwnerReference[] => node.object?.metadata.ownerReferences ?? [];

/** The dependents that keep a foreground deletion of the owner waiting. */
export const blockingDependents = (owner: GraphNode): GraphNode[] =>
  [...owner.dependents].filter((dependent) =>
    ownersOf(dependent).some(({ uid, blockOwnerDeletion }) => uid === owner.uid && blockOwnerDeletion),
  );

/**
 * Who owns whom, over all kinds. Every change returns the uids that deserve another look, so that the work follows the
 * change and not the size of the cluster. Owners that have not been seen are nodes without object.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  put(kind: Kind, { metadata }: Persisted<UnknownObject>): string[] {
    const uid = metadata.uid;
    const node = this.#nodeOf(uid);
    const before = node.object?.metadata;
    node.object = { kind, metadata };
    const ownersBefore = new Map((before?.ownerReferences ?? []).map((owner) => [owner.uid, owner]));
    const owners = new Set<string>();
    for (const owner of metadata.ownerReferences ?? []) {
      owners.add(owner.uid);
      this.#nodeOf(owner.uid).dependents.add(node);
    }
    const again: string[] = [];
    for (const ownerUid of ownersBefore.keys()) if (!owners.has(ownerUid)) this.#unlink(node, ownerUid);
    if (haveOwnersChanged(before, metadata))
      again.push(uid, ...this.#waitingOwners([...ownersBefore.keys(), ...owners]));
    if (awaits(node, ORPHAN) || awaits(node, FOREGROUND)) {
      again.push(uid);
      if (awaits(node, FOREGROUND)) for (const dependent of node.dependents) again.push(dependent.uid);
    }
    return [...new Set(again)];
  }

  remove(uid: string): string[] {
    const node = this.#nodes.get(uid);
    if (!node) return [];
    const owners = ownersOf(node).map((owner) => owner.uid);
    node.object = undefined;
    for (const ownerUid of owners) this.#unlink(node, ownerUid);
    this.#dropIfUseless(node);
    return [...[...node.dependents].map((dependent) => dependent.uid), ...this.#waitingOwners(owners)];
  }

  /** Of these owners, those in a foreground deletion: one dependent less may be all they waited for. */
  #waitingOwners(uids: readonly string[]): string[] {
    return uids.filter((uid) => {
      const node = this.#nodes.get(uid);
      return node !== undefined && awaits(node, FOREGROUND);
    });
  }

  #nodeOf(uid: string): GraphNode {
    const known = this.#nodes.get(uid);
    if (known) return known;
    const node: GraphNode = { uid, dependents: new Set() };
    this.#nodes.set(uid, node);
    return node;
  }

  #unlink(dependent: GraphNode, ownerUid: string): void {
    const owner = this.#nodes.get(ownerUid);
    if (!owner) return;
    owner.dependents.delete(dependent);
    this.#dropIfUseless(owner);
  }

  #dropIfUseless(node: GraphNode): void {
    if (!node.object && node.dependents.size === 0) this.#nodes.delete(node.uid);
  }
}

/** A new object with owners, or one whose references are no longer the same. */
function haveOwnersChanged(before: ObjectMeta | undefined, now: ObjectMeta): boolean {
  const owners = now.ownerReferences ?? [];
  if (!before) return owners.length > 0;
  return !deepEqual(before.ownerReferences ?? [], owners);
}
