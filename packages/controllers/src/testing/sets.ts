import type { ObjectMeta } from '@vireo/api';
import { VMI_FINALIZER } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { ReplicaSet } from '../replicaset/replicaSet.ts';
import { NAMESPACE, vmDraft } from './cluster.ts';
import { frozen } from './objects.ts';

/** A set as admission would have left it: its VMIs are labelled with its name. */
export const replicaSet = (
  name: string,
  replicas: number,
  spec: Partial<ReplicaSet['spec']> = {},
): VirtualMachineInstanceReplicaSet => ({
  apiVersion: `${ReplicaSet.group}/${ReplicaSet.version}`,
  kind: ReplicaSet.kind,
  metadata: { name, namespace: NAMESPACE },
  spec: {
    replicas,
    selector: { matchLabels: { set: name } },
    template: {
      metadata: { labels: { set: name }, finalizers: [VMI_FINALIZER] },
      spec: vmDraft(name).spec.template.spec,
    },
    ...spec,
  },
});

/** The set `web` for tables of cases, frozen as those of informers are. */
export const setWith = (
  spec: Partial<ReplicaSet['spec']> = {},
  status: ReplicaSet['status'] = {},
  metadata: ObjectMeta = {},
): ReplicaSet => {
  const set = replicaSet('web', 3, spec);
  return frozen({ ...set, metadata: { ...set.metadata, uid: 'set-uid', generation: 1, ...metadata }, status });
};

/** A VMI of the set `web`, frozen as those of informers are. */
export const replicaWith = (name: string, status: VmiStatus = {}, metadata: ObjectMeta = {}): Vmi =>
  frozen({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `uid-${name}`,
      labels: { set: 'web' },
      ownerReferences: [
        { apiVersion: 'kubevirt.io/v1', kind: ReplicaSet.kind, name: 'web', uid: 'set-uid', controller: true },
      ],
      ...metadata,
    },
    spec: { domain: { devices: {} } },
    status,
  });

/** For `status`: a guest that can be used. */
export const isReadyNow = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
