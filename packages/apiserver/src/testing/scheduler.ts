import type { Persisted } from '@vireo/api';
import type { Namespace } from '@vireo/api/kinds/core/namespace.ts';
import type { Node } from '@vireo/api/kinds/core/node.ts';
import type { PersistentVolume } from '@vireo/api/kinds/core/persistentVolume.ts';
import type { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { StorageClass } from '@vireo/api/kinds/storage/storageClass.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { ClusterState } from '../scheduler/clusterState.ts';
import type { ClusterView } from '../scheduler/filter.ts';

type PodSpec = NonNullable<Pod['spec']>;
type NodeSpec = NonNullable<Node['spec']>;

/** A pod in namespace `default` for tests. */
export const pod = (name: string, spec: Partial<PodSpec> = {}, metadata: Partial<Pod['metadata']> = {}) =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ...metadata },
    spec: { containers: [], ...spec },
  });

/** A pod whose one container asks for these resources. */
export const podAsking = (
  name: string,
  requests: Record<string, string>,
  spec: Partial<PodSpec> = {},
): Persisted<Pod> => pod(name, { containers: [{ name: 'main', resources: { requests } }], ...spec });

/** A node with room for 4 CPUs, 8Gi and 110 pods unless told otherwise. */
export const node = (
  name: string,
  spec: NodeSpec = {},
  labels: Record<string, string> = {},
  allocatable: Record<string, string> = {},
) =>
  persisted<Node>({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `uid-${name}`, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec,
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable } },
  });

export interface TestCluster {
  readonly nodes: readonly Persisted<Node>[];
  /** Placed pods: `spec.nodeName` says where. */
  readonly pods?: readonly Pod[];
  readonly namespaces?: readonly Namespace[];
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
}

/** The view that filters and scores get. */
export function cluster({ nodes, pods, namespaces, claims, volumes, classes }: TestCluster): ClusterView {
  const state = new ClusterState();
  for (const each of nodes) state.setNode(each);
  for (const each of pods ?? []) state.setPod(each);
  return {
    nodes: state.nodes(),
    namespaceLabels: (name) => namespaces?.find(({ metadata }) => metadata.name === name)?.metadata.labels,
    volumes: {
      claim: (namespace, name) =>
        claims?.map(persisted).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
      volume: (name) => volumes?.find(({ metadata }) => metadata.name === name),
      storageClass: (name) => classes?.find(({ metadata }) => metadata.name === name),
    },
  };
}
