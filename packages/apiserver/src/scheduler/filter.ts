import type { Persisted } from '@vireo/api';
import type { PersistentVolume } from '@vireo/api/kinds/core/persistentVolume.ts';
import type { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { StorageClass } from '@vireo/api/kinds/storage/storageClass.ts';
import type { NodeState } from './nodeState.ts';

/** Why a pod cannot go to a node. */
export interface UnschedulableStatus {
  /** Kubernetes' words, as they appear after the count: `Insufficient memory`. */
  readonly reasons: readonly string[];
  /** Whether the node could fit once other pods have gone. */
  readonly resolvable: boolean;
}

/** Refuses a node for one reason. */
export const unschedulable = (reason: string, resolvable = false): UnschedulableStatus => ({
  reasons: [reason],
  resolvable,
});

/** What changes in a cluster that may let a waiting pod fit. */
export type ClusterChange = 'nodeAdded' | 'nodeChanged' | 'podGone' | 'podPlaced' | 'volumesChanged';

/** A check bound to one pod, asked for each node. */
export type NodeCheck = (state: NodeState) => UnschedulableStatus | undefined;

export interface Filter {
  readonly name: string;
  /** Which changes can turn this filter's no into a yes: only these wake a pod that it refused. */
  readonly wokenBy: readonly ClusterChange[];
  /** Prepares the check for one pod; undefined where the pod asks nothing of it. Throws PodRefusal for all nodes at once. */
  prepare(pod: Pod, cluster: ClusterView): NodeCheck | undefined;
}

/** What filters and scores may look at. */
export interface ClusterView {
  readonly nodes: readonly NodeState[];
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined;
  readonly volumes: VolumeView;
}

/** Claims, volumes and classes by name. */
export interface VolumeView {
  claim(namespace: string, name: string): Persisted<PersistentVolumeClaim> | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
}

/** No node can take the pod, whatever the nodes are like. */
export class PodRefusal extends Error {
  override readonly name = 'PodRefusal';
}
