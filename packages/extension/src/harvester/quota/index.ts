import { INSUFFICIENT_QUOTA, QUOTA_DISMISSED } from '@vireo/api/kinds/harvester/names.ts';
import type { Action } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { harvesterAction } from '../action.ts';
import { changeLimit, limitIn, UpdateResourceQuotaInput, WRITE_QUOTAS } from './limits.ts';

// Whoever a quota is for does not set it: as with those of Kubernetes, that is the cluster's.
const OF_VM = { method: 'PUT', minimumRole: 'none', needs: WRITE_QUOTAS, isListed: () => true } as const;
const OF_NAMESPACE = { ...OF_VM, response: { status: 200 } } as const;

const updateOfVm = harvesterAction('virtualmachines')<UpdateResourceQuotaInput>({
  ...OF_VM,
  name: 'updateResourceQuota',
  summary: "Limits the total size of the VM's snapshots.",
  body: UpdateResourceQuotaInput,
  async act({ vm }, { body }, { client, dryRun }) {
    const { name, namespace } = vm.metadata;
    const bytes = limitIn(body);
    const change = { vmTotalSnapshotSizeQuota: { [name]: bytes } };
    await changeLimit(namespace, change, { client, dryRun, isRemoval: bytes === 0 });
    return undefined;
  },
});

const deleteOfVm = harvesterAction('virtualmachines')({
  ...OF_VM,
  name: 'deleteResourceQuota',
  summary: "Removes the limit of the total size of the VM's snapshots.",
  async act({ vm }, _input, { client, dryRun }) {
    const { name, namespace } = vm.metadata;
    await changeLimit(namespace, { vmTotalSnapshotSizeQuota: { [name]: null } }, { client, dryRun, isRemoval: true });
    return undefined;
  },
});

const dismiss = harvesterAction('virtualmachines')({
  name: 'dismissInsufficientResourceQuota',
  method: 'PUT',
  minimumRole: 'edit',
  summary: `Removes the annotation \`${INSUFFICIENT_QUOTA}\`, which says that a ResourceQuota of Kubernetes does not let the VM start.`,
  isListed: ({ vm }) => vm.metadata.annotations?.[INSUFFICIENT_QUOTA] !== undefined,
  decide({ vm, vmi }) {
    if (vm.metadata.annotations?.[INSUFFICIENT_QUOTA] === undefined)
      throw vmConflict(vm, `it has no annotation ${INSUFFICIENT_QUOTA}: no quota is in its way`);
    const annotations = { [INSUFFICIENT_QUOTA]: null, [QUOTA_DISMISSED]: vmi?.metadata.uid ?? null };
    return { type: 'write', writes: [{ to: 'vm', patch: { metadata: { annotations } } }] };
  },
});

const updateOfNamespace = harvesterAction('namespaces')<UpdateResourceQuotaInput>({
  ...OF_NAMESPACE,
  name: 'updateResourceQuota',
  summary: 'Limits the total size of snapshots in the namespace.',
  body: UpdateResourceQuotaInput,
  async act({ object }, { body }, { client, dryRun }) {
    const bytes = limitIn(body);
    const change = { namespaceTotalSnapshotSizeQuota: bytes };
    await changeLimit(object.metadata.name, change, { client, dryRun, isRemoval: bytes === 0 });
    return undefined;
  },
});

const deleteOfNamespace = harvesterAction('namespaces')({
  ...OF_NAMESPACE,
  name: 'deleteResourceQuota',
  summary: 'Removes the limit of the total size of snapshots in the namespace. Limits of single VMs stay.',
  async act({ object }, _input, { client, dryRun }) {
    const change = { namespaceTotalSnapshotSizeQuota: 0 };
    await changeLimit(object.metadata.name, change, { client, dryRun, isRemoval: true });
    return undefined;
  },
});

/** Actions on how much snapshots may take, and on what a quota of Kubernetes keeps from starting. */
export const QUOTA_ACTIONS: readonly Action[] = [updateOfVm, deleteOfVm, dismiss, updateOfNamespace, deleteOfNamespace];
