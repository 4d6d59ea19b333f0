import type { Persisted, PersistentVolume, Pod, UnknownObject } from '@vireo/api';
import { follow } from '../registry/follow.ts';
import type { Store } from '../store/store.ts';
import { podReferences, type Referenced, referenceKey, volumeSecrets } from './references.ts';

interface IndexedPod {
  readonly nodeName: string;
  readonly names: string;
  readonly keys: readonly string[];
}

/**
 * Which node may read which object, because a pod on it names it: node ← pod ← secret, config map, claim, service
 * account; and node ← pod ← claim ← volume ← secret. An index that each change of a pod or volume keeps, so that a
 * question costs two lookups however many pods there are.
 */
export class NodeGraph {
  readonly #pods = new Map<string, IndexedPod>();
  /** What is named → node → number of its pods that name it. */
  readonly #nodesOf = new Map<string, Map<string, number>>();
  /** Secret → the volumes that need it. */
  readonly #volumesOf = new Map<string, Set<string>>();
  readonly #volumes = new Map<string, { readonly claim: string | undefined; readonly secrets: readonly string[] }>();

  /** A graph that follows a store from now on. */
  static following(store: Store): NodeGraph {
    const graph = new NodeGraph();
    follow(store, 'core/pods', {
      update: (object: Persisted<UnknownObject>) => graph.setPod(object as unknown as Pod),
      remove: (object: Persisted<UnknownObject>) => graph.deletePod(object as unknown as Pod),
    });
    follow(store, 'core/persistentvolumes', {
      update: (object: Persisted<UnknownObject>) => graph.setVolume(object as unknown as PersistentVolume),
      remove: ({ metadata }: Persisted<UnknownObject>) => graph.deleteVolume(metadata.name),
    });
    return graph;
  }

  /** Whether a pod of the node leads to the object. */
  leadsTo(nodeName: string, resource: Referenced | 'persistentvolumes', namespace: string, name: string): boolean {
    if (resource === 'persistentvolumes') return this.#mounts(nodeName, name);
    const key = referenceKey(resource, namespace, name);
    if (this.#nodesOf.get(key)?.has(nodeName)) return true;
    return [...(this.#volumesOf.get(key) ?? [])].some((volume) => this.#mounts(nodeName, volume));
  }

  #mounts(nodeName: string, volume: string): boolean {
    const claim = this.#volumes.get(volume)?.claim;
    return claim !== undefined && (this.#nodesOf.get(claim)?.has(nodeName) ?? false);
  }

  setPod(pod: Pod): void {
    const key = keyOf(pod);
    const names = namesOf(pod);
    // Most changes of a pod are of its status, and name nothing new.
    if (this.#pods.get(key)?.names === names) return;
    this.#forget(key);
    const nodeName = pod.spec?.nodeName;
    // A pod that is on no node leads nobody anywhere.
    if (!nodeName) return;
    const keys = isMirror(pod) ? [ownKeyOf(pod)] : podReferences(pod);
    for (const each of keys) {
      const counts = this.#nodesOf.get(each) ?? new Map<string, number>();
      counts.set(nodeName, (counts.get(nodeName) ?? 0) + 1);
      this.#nodesOf.set(each, counts);
    }
    this.#pods.set(key, { nodeName, names, keys });
  }

  deletePod(pod: Pod): void {
    this.#forget(keyOf(pod));
  }

  setVolume(volume: PersistentVolume): void {
    const name = volume.metadata.name ?? '';
    this.deleteVolume(name);
    const claim = volume.spec?.claimRef;
    const secrets = volumeSecrets(volume);
    for (const secret of secrets)
      this.#volumesOf.set(secret, (this.#volumesOf.get(secret) ?? new Set<string>()).add(name));
    this.#volumes.set(name, {
      claim: claim?.name ? referenceKey('persistentvolumeclaims', claim.namespace ?? '', claim.name) : undefined,
      secrets,
    });
  }

  deleteVolume(name: string): void {
    for (const secret of this.#volumes.get(name)?.secrets ?? []) {
      const volumes = this.#volumesOf.get(secret);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#volumesOf.delete(secret);
    }
    this.#volumes.delete(name);
  }

  #forget(podKey: string): void {
    const known = this.#pods.get(podKey);
    if (!known) return;
    for (const key of known.keys) {
      const counts = this.#nodesOf.get(key);
      const rest = (counts?.get(known.nodeName) ?? 0) - 1;
      if (rest > 0) counts?.set(known.nodeName, rest);
      else counts?.delete(known.nodeName);
      if (counts?.size === 0) this.#nodesOf.delete(key);
    }
    this.#pods.delete(podKey);
  }
}

/** What a node runs by itself and only shows leads it nowhere, whatever was added to it on its way into the store. */
const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;

const ownKeyOf = ({ metadata }: Pod): string => referenceKey('pods', metadata.namespace ?? '', metadata.name ?? '');

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;

/** What decides on the names in a pod: they are the same for life, but for its node, added containers and made claims. */
const namesOf = ({ metadata, spec, status }: Pod): string =>
  `${metadata.uid} ${spec?.nodeName} ${spec?.ephemeralContainers?.length} ${status?.resourceClaimStatuses?.length}`;
