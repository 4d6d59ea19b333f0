import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';
import { boundClaim } from './claims.ts';

const vm = (action: string): string => `virtualmachines/${action}`;
const source = (name: string): string => `${name}-old`;
const target = (name: string): string => `${name}-new`;
const STORAGE_MIGRATABLE = { conditions: [{ type: 'StorageLiveMigratable', status: 'True' }] };

const specOn = (...claims: readonly string[]) => ({
  domain: {
    devices: { disks: claims.map((_, index) => ({ name: `disk-${index}`, disk: { bus: 'virtio' } })) },
    memory: { guest: '64Mi' },
  },
  volumes: claims.map((claimName, index) => ({ name: `disk-${index}`, persistentVolumeClaim: { claimName } })),
});

const listing = (name: string, targetVolume?: string): string =>
  JSON.stringify([
    { metadata: { name: source(name) }, spec: { resources: {} }, ...(targetVolume && { targetVolume }) },
  ]);

/** A running VM with a disk on one claim, and another claim; `others`: its further disks. */
const movable =
  (...others: readonly string[]) =>
  async (name: string, context: ContractContext): Promise<void> => {
    for (const claim of [source(name), target(name), ...others.map((each) => `${name}-${each}`)])
      await boundClaim(claim, context);
    const spec = specOn(source(name), ...others.map((each) => `${name}-${each}`));
    await context.vms.createVm(name, 'Always', { template: { spec } });
    const metadata = { annotations: { [VOLUME_CLAIM_TEMPLATES]: listing(name) } };
    await context.client.of(VirtualMachine).patch(name, { metadata }, { ...at, type: 'merge' });
    await context.vms.createVmi(name, STORAGE_MIGRATABLE, { spec });
  };

/** Whose disk is on its way: the VM and its VMI are on the new claim, and the guest on the old one. */
async function moving(name: string, context: ContractContext): Promise<void> {
  for (const claim of [source(name), target(name)]) await boundClaim(claim, context);
  const spec = specOn(target(name));
  await context.vms.createVm(name, 'Always', { updateVolumesStrategy: 'Migration', template: { spec } });
  const metadata = { annotations: { [VOLUME_CLAIM_TEMPLATES]: listing(name, target(name)) } };
  await context.client.of(VirtualMachine).patch(name, { metadata }, { ...at, type: 'merge' });
  const move = {
    volumeName: 'disk-0',
    sourcePVCInfo: { claimName: source(name) },
    destinationPVCInfo: { claimName: target(name) },
  };
  await context.vms.createVmi(name, { ...STORAGE_MIGRATABLE, migratedVolumes: [move] }, { spec });
}

const claimsOf = async (name: string, { client }: ContractContext) => {
  const { spec, metadata } = await client.of(VirtualMachine).get(name, at);
  return {
    claims: spec.template.spec?.volumes?.map((volume) => claimNameOf(volume)),
    strategy: spec.updateVolumesStrategy,
    listed: metadata.annotations?.[VOLUME_CLAIM_TEMPLATES],
  };
};

const body = (name: string) => ({ sourceVolume: source(name), targetVolume: target(name) });

/** Disks of running VMs that move to other claims. */
export const STORAGE_MIGRATION_CASES: readonly ContractCase[] = [
  {
    action: vm('storageMigration'),
    is: 'success',
    given: movable(),
    body,
    expect: { status: 204 },
    after: async (name, context) => {
      expect(await claimsOf(name, context)).toEqual({
        claims: [target(name)],
        strategy: 'Migration',
        listed: listing(name, target(name)),
      });
    },
  },
  {
    action: vm('storageMigration'),
    is: 'wrong state',
    given: (name, { vms }) => vms.createVm(name),
    body,
    expect: { status: 409, message: 'it is not running' },
  },
  {
    action: vm('storageMigration'),
    is: 'wrong state',
    when: 'another disk of one node would stay behind',
    given: movable('data'),
    body,
    expect: { status: 409, message: 'The volume disk-1 is RWO and not included in the migration volumes' },
  },
  {
    action: vm('storageMigration'),
    is: 'wrong state',
    when: 'a disk is on its way already',
    given: moving,
    body,
    expect: { status: 409, message: 'call cancelStorageMigration' },
  },
  {
    action: vm('storageMigration'),
    is: 'bad body',
    when: 'both are one',
    given: movable(),
    body: (name: string) => ({ ...body(name), targetVolume: source(name) }),
    expect: { status: 422, message: 'targetVolume: Invalid value' },
  },
  {
    action: vm('storageMigration'),
    is: 'bad body',
    when: 'no disk is on the source',
    given: movable(),
    body: (name: string) => ({ ...body(name), sourceVolume: 'moon' }),
    expect: { status: 422, message: 'no disk of the VM is on it' },
  },
  {
    action: vm('cancelStorageMigration'),
    is: 'success',
    given: moving,
    expect: { status: 204 },
    after: async (name, context) => {
      expect(await claimsOf(name, context)).toEqual({ claims: [source(name)], listed: listing(name) });
    },
  },
  {
    action: vm('cancelStorageMigration'),
    is: 'wrong state',
    given: movable(),
    expect: { status: 409, message: 'no disk of it is being moved to another claim' },
  },
];
