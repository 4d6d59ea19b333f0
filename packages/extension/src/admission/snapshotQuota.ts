import { fieldError, forbidden, PersistentVolumeClaim } from '@vireo/api';
import { HarvesterQuota, QUOTA_NAME, type SnapshotLimit } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import {
  claimSize,
  type FindClaim,
  type SnapshotSizes,
  sizeOf,
  snapshotSizes,
  vmSnapshotSize,
} from '@vireo/api/kinds/harvester/snapshotSizes.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { bytesQuantity } from '@vireo/api/quantity.ts';
import type { Client } from '@vireo/kube';
import { isControllers } from '../identity.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';

/** A namespace has one quota: more would not be looked at. */
export const quotaValidation: ValidatingRule<HarvesterQuota> = {
  type: 'validating',
  webhook: 'resourcequotas-validator.harvesterhci.io',
  path: '/harvester-resourcequotas-validate',
  kinds: [HarvesterQuota],
  operations: ['CREATE'],
  async validate({ object }) {
    const { name = '' } = object.metadata;
    if (name === QUOTA_NAME) return ALLOWED;
    const text = `metadata.name is ${JSON.stringify(name)}: a namespace has one ResourceQuota of Harvester, and its name is ${QUOTA_NAME}`;
    return { errors: [fieldError('metadata.name', text)] };
  },
};

/** Snapshots of single claims, which users take: those of VMs were admitted with the snapshot of the VM. */
export const volumeSnapshotQuota: ValidatingRule<VolumeSnapshot> = {
  type: 'validating',
  webhook: 'volumesnapshots-quota.harvesterhci.io',
  path: '/volumesnapshots-quota-validate',
  kinds: [VolumeSnapshot],
  operations: ['CREATE'],
  async validate({ object, user }, { client }) {
    const { namespace = '' } = object.metadata;
    const limit = isControllers(user) ? undefined : await limitOf(namespace, client);
    if (!limit) return ALLOWED;
    const { sizes, findClaim, vms } = await inUse(namespace, client);
    const claim = object.spec.source.persistentVolumeClaimName ?? '';
    const requested = claimSize(findClaim(claim));
    const owners = [...snapshotSizes([object], vms, findClaim).vms.keys()];
    expectRoom({ limit, sizes, requested, vms: owners, namespace });
    return ALLOWED;
  },
};

/** Refuses a snapshot of a VM that would take more than Harvester's ResourceQuota leaves to the VM or to its namespace. */
export async function expectSnapshotQuota(vm: VirtualMachine, client: Client): Promise<void> {
  const { namespace = '', name = '' } = vm.metadata;
  const limit = await limitOf(namespace, client);
  if (!limit) return;
  const { sizes, findClaim } = await inUse(namespace, client);
  expectRoom({ limit, sizes, requested: vmSnapshotSize(vm, findClaim), vms: [name], namespace });
}

async function limitOf(namespace: string, client: Client): Promise<SnapshotLimit | undefined> {
  return (await client.of(HarvesterQuota).find(QUOTA_NAME, { namespace }))?.spec?.snapshotLimit;
}

/** What the snapshots of a namespace take, with those of VMs that are only just being taken. */
async function inUse(namespace: string, client: Client) {
  const at = { namespace };
  const [snapshots, vms, claims, ofVms] = await Promise.all([
    client.of(VolumeSnapshot).list(at),
    client.of(VirtualMachine).list(at),
    client.of(PersistentVolumeClaim).list(at),
    client.of(VirtualMachineSnapshot).list(at),
  ]);
  const byName = new Map(claims.items.map((claim) => [claim.metadata.name, claim]));
  const findClaim: FindClaim = (name) => byName.get(name);
  const known = snapshotSizes(snapshots.items, vms.items, findClaim);
  return { vms: vms.items, findClaim, sizes: withPending(known, ofVms.items, vms.items, snapshots.items, findClaim) };
}

const ENDED = ['Succeeded', 'Failed', 'Deleting'];

/** Two snapshots that are asked for at once must not both find the room for one. */
function withPending(
  known: SnapshotSizes,
  pending: readonly VirtualMachineSnapshot[],
  vms: readonly VirtualMachine[],
  taken: readonly VolumeSnapshot[],
  findClaim: FindClaim,
): SnapshotSizes {
  const byVm = new Map(known.vms);
  let { namespace } = known;
  for (const { metadata, spec, status } of pending.filter((each) => !ENDED.includes(each.status?.phase ?? ''))) {
    const vm = vms.find((each) => each.metadata.name === spec.source.name);
    if (!vm || status?.readyToUse) continue;
    const prefix = `vmsnapshot-${metadata.uid}-`;
    const own = taken.filter((each) => each.metadata.name?.startsWith(prefix));
    const missing = vmSnapshotSize(vm, findClaim) - own.reduce((bytes, each) => bytes + sizeOf(each, findClaim), 0);
    namespace += Math.max(0, missing);
    byVm.set(spec.source.name, (byVm.get(spec.source.name) ?? 0) + Math.max(0, missing));
  }
  return { namespace, vms: byVm };
}

interface Question {
  readonly limit: SnapshotLimit;
  readonly sizes: SnapshotSizes;
  readonly requested: number;
  readonly vms: readonly string[];
  readonly namespace: string;
}

function expectRoom({ limit, sizes, requested, vms, namespace }: Question): void {
  for (const vm of vms)
    expectWithin(limit.vmTotalSnapshotSizeQuota?.[vm] ?? 0, sizes.vms.get(vm) ?? 0, requested, {
      what: `snapshots of VirtualMachine ${namespace}/${vm}`,
      field: `vmTotalSnapshotSizeQuota[${vm}]`,
    });
  expectWithin(limit.namespaceTotalSnapshotSizeQuota ?? 0, sizes.namespace, requested, {
    what: `snapshots of namespace ${namespace}`,
    field: 'namespaceTotalSnapshotSizeQuota',
  });
}

/** 0 is no limit. */
function expectWithin(
  limited: number,
  used: number,
  requested: number,
  { what, field }: { readonly what: string; readonly field: string },
): void {
  if (limited === 0 || used + requested <= limited) return;
  const sizes = `requested: ${bytesQuantity(requested)}, used: ${bytesQuantity(used)}, limited: ${bytesQuantity(limited)}`;
  throw forbidden(
    { group: HarvesterQuota.group, resource: HarvesterQuota.plural },
    QUOTA_NAME,
    `exceeded quota of ${what} (spec.snapshotLimit.${field}): ${sizes}; delete snapshots, or have the quota raised`,
  );
}
