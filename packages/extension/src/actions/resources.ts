import { Namespace, Node, PersistentVolumeClaim } from '@vireo/api';
import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { ResourceRef } from '@vireo/kube';
import type { ActionResource } from './action.ts';

/** Kinds that nothing here has objects of. */
const harvester = (kind: string, plural: string): ResourceRef => ({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind,
  plural,
  namespaced: true,
});

/** The kinds whose objects have actions. */
export const RESOURCES: Readonly<Record<ActionResource, ResourceRef>> = {
  virtualmachines: VirtualMachine,
  virtualmachineinstances: VirtualMachineInstance,
  virtualmachineinstancereplicasets: VirtualMachineInstanceReplicaSet,
  nodes: Node,
  namespaces: Namespace,
  persistentvolumeclaims: PersistentVolumeClaim,
  volumesnapshots: VolumeSnapshot,
  virtualmachineimages: VirtualMachineImage,
  upgradelogs: UpgradeLog,
  keypairs: harvester('KeyPair', 'keypairs'),
  virtualmachinetemplates: harvester('VirtualMachineTemplate', 'virtualmachinetemplates'),
};

/** Whether paths to objects of the resource name a namespace. A namespace is addressed below itself, as RBAC sees it. */
export const isPathNamespaced = (resource: ActionResource): boolean =>
  RESOURCES[resource].namespaced || resource === 'namespaces';
