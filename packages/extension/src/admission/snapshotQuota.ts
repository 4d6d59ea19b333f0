import { fieldError, forbidden, type KubeObject, PersistentVolumeClaim } from '@vireo/api';
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
import { type Admission, ALLOWED, type ValidatingRule } from './rule.ts';
import { type Reservation, reservationsOf } from './snapshotReservations.ts';

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
  async validate(admission, { client }) {
    if (isControllers(admission.user)) return ALLOWED;
    await expectQuota(admission, client, ({ vms, findClaim }) => {
      const { object } = admission;
      const claim = object.spec.source.persistentVolumeClaimName ?? '';
      const owners = [...snapshotSizes([object], vms, findClaim).vms.keys()];
      return { requested: claimSize(findClaim(claim)), vms: owners };
    });
    return ALLOWED;
  },
};

/** Refuses a snapshot of a VM that would take more than Harvester's ResourceQuota leaves to the VM or to its namespace. */
export const expectSnapshotQuota = (vm: VirtualMachine, admission: Asking, client: Client): Promise<void> =>
  expectQuota(admission, client, ({ findClaim }) => ({
    requested: vmSnapshotSize(vm, findClaim),
    vms: [vm.metadata.name ?? ''],
  }));

/** Who asks. */
type Asking = Pick<Admission<KubeObject>, 'object' | 'isDryRun'>;

/** What a snapshot asks of the quota. */
interface Demand {
  readonly requested: number;
  /** The VMs whose limits it counts for. */
  readonly vms: readonly string[];
}

async function expectQuota(
  { object, isDryRun }: Asking,
  client: Client,
  demandOf: (found: Found) => Demand,
): Promise<void> {
  const { namespace = '', name = '' } = object.metadata;
  const limit = await limitOf(namespace, client);
  if (!limit) return;
  const reservations = reservationsOf(client);
  await reservations.inTurn(namespace, async () => {
    const found = await findSnapshots(namespace, client);
    const demand = demandOf(found);
    const reserved = reservations.heldIn(namespace, (id) => found.stored.has(id));
    expectRoom({ limit, sizes: withReserved(found.sizes, reserved), namespace, ...demand });
    if (!isDryRun)
      reservations.hold(namespace, { id: idOf(object.kind, name), bytes: demand.requested, vms: demand.vms });
  });
}

const idOf = (kind: string | undefined, name: string | undefined): string => `${kind}/${name}`;

function withReserved(known: SnapshotSizes, reserved: readonly Reservation[]): SnapshotSizes {
  const byVm = new Map(known.vms);
  for (const { bytes, vms } of reserved) for (const vm of vms) byVm.set(vm, (byVm.get(vm) ?? 0) + bytes);
  return { namespace: reserved.reduce((sum, { bytes }) => sum + bytes, known.namespace), vms: byVm };
}

async function limitOf(namespace: string, client: Client): Promise<SnapshotLimit | undefined> {
  return (await client.of(HarvesterQuota).find(QUOTA_NAME, { namespace }))?.spec?.snapshotLimit;
}

/** What is in a namespace: its snapshots take the sizes, with those of VMs that are only just being taken. */
interface Found {
  readonly vms: readonly VirtualMachine[];
  readonly findClaim: FindClaim;
  readonly sizes: SnapshotSizes;
  /** The snapshots of either kind, by their ids. */
  readonly stored: ReadonlySet<string>;
}

async function findSnapshots(namespace: string, client: Client): Promise<Found> {
  const at = { namespace };
  // First: one of a VM that ends after this has its VolumeSnapshots by the time that those are listed.
  const ofVms = await client.of(VirtualMachineSnapshot).list(at);
  const [snapshots, vms, claims] = await Promise.all([
    client.of(VolumeSnapshot).list(at),
    client.of(VirtualMachine).list(at),
    client.of(PersistentVolumeClaim).list(at),
  ]);
  const byName = new Map(claims.items.map((claim) => [claim.metadata.name, claim]));
  const findClaim: FindClaim = (name) => byName.get(name);
  const known = snapshotSizes(snapshots.items, vms.items, findClaim);
  return {
    vms: vms.items,
    findClaim,
    sizes: withPending(known, ofVms.items, vms.items, snapshots.items, findClaim),
    stored: new Set([
      ...ofVms.items.map(({ metadata }) => idOf(VirtualMachineSnapshot.kind, metadata.name)),
      ...snapshots.items.map(({ metadata }) => idOf(VolumeSnapshot.kind, metadata.name)),
    ]),
  };
}

const ENDED = ['Succeeded', 'Failed', 'Deleting'];

/** A snapshot of a VM takes its room from the beginning, not claim by claim as it is taken. */
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
