import { useMemo } from 'react';
import type { KubeObject } from '../../data/kinds.ts';
import type { FollowState } from '../../decisions/connection.ts';
import { pathOf } from '../../decisions/images/deleting.ts';
import type {
  Claim,
  DataSource,
  DataVolume,
  StorageClass,
  VmImage,
  VolumeSnapshot,
} from '../../decisions/images/objects.ts';
import { type MachineVolumes, type MachineWithVolumes, machineVolumes } from '../../decisions/images/users.ts';
import { type Volume, volumesFrom } from '../../decisions/images/volumes.ts';
import { useCollection } from '../session.tsx';
import { useListed } from './useListed.ts';

/** What the server adds for itself is most of an object, and changes when nothing else does. */
const slim = <T extends KubeObject>(object: T): T => {
  const {
    managedFields: _,
    resourceVersion: __,
    ...metadata
  } = object.metadata as T['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
};

const inNamespace = (root: string, namespace: string | undefined, resource: string): string =>
  `${root}/${namespace === undefined ? '' : `namespaces/${encodeURIComponent(namespace)}/`}${resource}`;

export interface Volumes {
  readonly volumes: readonly Volume[];
  readonly claims: readonly Claim[];
  readonly isLoading: boolean;
  readonly isStale: boolean;
  /** Of the list that matters most to the one that matters least; the first that is refused is worth telling. */
  readonly states: Readonly<Record<'dataVolumes' | 'claims' | 'snapshots' | 'machines', FollowState>>;
}

/** Everything that disks are made of in a namespace, or in all of them, with who uses it. */
export function useVolumes(namespace: string | undefined): Volumes {
  const dataVolumes = useCollection<DataVolume, DataVolume>(pathOf('DataVolume', namespace), slim);
  const claims = useCollection<Claim, Claim>(pathOf('PersistentVolumeClaim', namespace), slim);
  const dataSources = useCollection<DataSource, DataSource>(pathOf('DataSource', namespace), slim);
  const images = useCollection<VmImage, VmImage>(pathOf('VirtualMachineImage', namespace), slim);
  const kubevirt = (resource: string): string => inNamespace('/apis/kubevirt.io/v1', namespace, resource);
  const vms = useCollection<MachineWithVolumes, MachineVolumes>(kubevirt('virtualmachines'), machineVolumes);
  const vmis = useCollection<MachineWithVolumes, MachineVolumes>(kubevirt('virtualmachineinstances'), machineVolumes);
  const snapshots = useListed<VolumeSnapshot, VolumeSnapshot>(
    inNamespace('/apis/snapshot.storage.k8s.io/v1', namespace, 'volumesnapshots'),
    slim,
    { group: 'snapshot.storage.k8s.io', resource: 'volumesnapshots', namespace },
  );
  const volumes = useMemo(
    () =>
      volumesFrom({
        dataVolumes: dataVolumes.rows,
        claims: claims.rows,
        dataSources: dataSources.rows,
        images: images.rows,
        machines: [...vms.rows, ...vmis.rows],
        snapshots: snapshots.rows,
      }),
    [dataVolumes.rows, claims.rows, dataSources.rows, images.rows, vms.rows, vmis.rows, snapshots.rows],
  );
  const lists = [dataVolumes.state, claims.state];
  return {
    volumes,
    claims: claims.rows,
    isLoading: lists.some(({ kind }) => kind === 'loading'),
    isStale: lists.some(({ kind }) => kind === 'waiting'),
    states: {
      dataVolumes: dataVolumes.state,
      claims: claims.state,
      snapshots: snapshots.state,
      machines: vms.state,
    },
  };
}

/** The storage classes; none if the user may not list them. */
export const useClasses = (): readonly StorageClass[] =>
  useListed<StorageClass, StorageClass>('/apis/storage.k8s.io/v1/storageclasses', slim, {
    group: 'storage.k8s.io',
    resource: 'storageclasses',
  }).rows;
