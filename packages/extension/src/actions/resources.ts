import { Namespace, Node, PersistentVolumeClaim } from '@vireo/api';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { ResourceRef } from '@vireo/kube';
import type { ActionResource } from './action.ts';

/** The kinds whose objects have actions. */
export const RESOURCES: Readonly<Record<ActionResource, ResourceRef>> = {
  virtualmachines: VirtualMachine,
  virtualmachineinstances: VirtualMachineInstance,
  virtualmachineinstancereplicasets: VirtualMachineInstanceReplicaSet,
  virtualmachinepools: VirtualMachinePool,
  nodes: Node,
  namespaces: Namespace,
  persistentvolumeclaims: PersistentVolumeClaim,
  volumesnapshots: VolumeSnapshot,
  virtualmachineimages: VirtualMachineImage,
  upgradelogs: UpgradeLog,
  keypairs: KeyPair,
  virtualmachinetemplates: HarvesterTemplate,
};

/** Whether paths to objects of the resource name a namespace. A namespace is addressed below itself, as RBAC sees it. */
export const isPathNamespaced = (resource: ActionResource): boolean =>
  RESOURCES[resource].namespaced || resource === 'namespaces';
