import type { ObjectMeta } from '@vireo/api';
import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { POOL_FINALIZER, POOL_REVISION_LABEL } from '@vireo/api/kinds/pool/names.ts';
import type { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import { Pool } from '../pool/pool.ts';
import { NAMESPACE, vmDraft } from './cluster.ts';
import { frozen } from './objects.ts';

/** A pool as admission would have left it: its VMs and VMIs are labelled with its name. */
export const poolDraft = (
  name: string,
  replicas: number,
  spec: Partial<Pool['spec']> = {},
  vm: Partial<Vm['spec']> = {},
): VirtualMachinePool => {
  const { template } = vmDraft(name).spec;
  return {
    apiVersion: `${Pool.group}/${Pool.version}`,
    kind: Pool.kind,
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas,
      selector: { matchLabels: { pool: name } },
      virtualMachineTemplate: {
        metadata: { labels: { pool: name } },
        spec: { runStrategy: 'Always', template: { ...template, metadata: { labels: { pool: name } } }, ...vm },
      },
      ...spec,
    },
  };
};

/** The pool `web` for tables of cases, frozen as those of informers are. */
export const poolWith = (
  spec: Partial<Pool['spec']> = {},
  status: Pool['status'] = {},
  vm: Partial<Vm['spec']> = {},
): Pool => {
  const pool = poolDraft('web', 3, spec, vm);
  const metadata = { ...pool.metadata, uid: 'pool-uid', generation: 1, finalizers: [POOL_FINALIZER] };
  return frozen({ ...pool, metadata, status });
};

/** A VM of the pool `web`, frozen as those of informers are. */
export const memberWith = (
  name: string,
  status: VmStatus = {},
  metadata: ObjectMeta = {},
  spec: Partial<Vm['spec']> = {},
): Vm => {
  const { virtualMachineTemplate } = poolDraft('web', 3).spec;
  return frozen({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `uid-${name}`,
      labels: { pool: 'web', [POOL_REVISION_LABEL]: 'web-1' },
      finalizers: [POOL_FINALIZER],
      ownerReferences: [
        { apiVersion: 'pool.kubevirt.io/v1beta1', kind: Pool.kind, name: 'web', uid: 'pool-uid', controller: true },
      ],
      ...metadata,
    },
    spec: { ...virtualMachineTemplate.spec, ...spec } as Vm['spec'],
    status,
  });
};

/** The VMI of a VM of the pool `web`. */
export const memberVmi = (name: string, revision: string | undefined, status: VmiStatus = {}): Vmi =>
  frozen({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `vmi-${name}`,
      labels: { pool: 'web', ...(revision && { [POOL_REVISION_LABEL]: revision }) },
      ownerReferences: [
        { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid: `uid-${name}`, controller: true },
      ],
    },
    spec: { domain: { devices: {} } },
    status,
  });
