import { VirtualMachineClone } from '@vireo/api/kinds/clone/virtualMachineClone.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';

const off = (name: string, { vms }: ContractContext) => vms.createVm(name);
const on = async (name: string, { vms }: ContractContext) => {
  await vms.createVm(name, 'Always');
  await vms.createVmi(name);
};

/** While a snapshot of the VM that is called `other` is taken. */
export async function duringSnapshot(name: string, { client }: ContractContext): Promise<void> {
  const status = { snapshotInProgress: 'other' };
  await client.of(VirtualMachine).patchStatus(name, { status }, { ...at, type: 'merge' });
}

/** A VM that is off, and a snapshot of it that can be restored. */
async function kept(name: string, context: ContractContext): Promise<void> {
  await off(name, context);
  const { client } = context;
  const vm = await client.of(VirtualMachine).get(name, at);
  const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name };
  await client.of(VirtualMachineSnapshot).create({ metadata: { name, ...at }, spec: { source } });
  const status = { phase: 'Succeeded', readyToUse: true, sourceUID: vm.metadata.uid };
  await client.of(VirtualMachineSnapshot).patchStatus(name, { status }, { ...at, type: 'merge' });
}

/** What is refused leaves nothing behind. */
const noClone = async (name: string, { client }: ContractContext): Promise<void> => {
  const { items } = await client.of(VirtualMachineClone).list(at);
  expect(items.filter(({ spec }) => spec.source.name === name)).toEqual([]);
};

/** Snapshots, restores and clones of VMs. */
export const SNAPSHOT_CASES: readonly ContractCase[] = [
  {
    action: 'virtualmachines/snapshot',
    is: 'success',
    given: on,
    body: (name: string) => ({ name: `${name}-snap` }),
    expect: { status: 204 },
    after: async (name, { client }) => {
      const { spec } = await client.of(VirtualMachineSnapshot).get(`${name}-snap`, at);
      expect(spec.source).toEqual({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name });
    },
  },
  { action: 'virtualmachines/snapshot', is: 'success', when: 'no name', given: off, expect: { status: 204 } },
  {
    action: 'virtualmachines/snapshot',
    is: 'wrong state',
    when: 'another is under way',
    given: async (name, context) => {
      await off(name, context);
      await duringSnapshot(name, context);
    },
    body: { name: 'x' },
    expect: { status: 409, message: 'snapshot "other" is in progress' },
  },
  {
    action: 'virtualmachines/snapshot',
    is: 'bad body',
    given: off,
    body: { name: 'No Name' },
    expect: { status: 422, message: 'metadata.name' },
  },
  {
    action: 'virtualmachines/restore',
    is: 'success',
    given: kept,
    body: (name: string) => ({ name: `${name}-back`, backupName: name }),
    expect: { status: 204 },
    after: async (name, { client }) => {
      const { spec } = await client.of(VirtualMachineRestore).get(`${name}-back`, at);
      expect(spec).toMatchObject({ target: { name }, virtualMachineSnapshotName: name });
    },
  },
  {
    action: 'virtualmachines/restore',
    is: 'wrong state',
    when: 'it runs',
    given: on,
    body: { name: 'back', backupName: 'x' },
    expect: { status: 409, message: 'it must be stopped before it can be restored' },
  },
  {
    action: 'virtualmachines/restore',
    is: 'wrong state',
    when: 'there is no such snapshot',
    given: off,
    body: { name: 'back', backupName: 'nothing' },
    expect: { status: 404, message: 'virtualmachinesnapshots.snapshot.kubevirt.io "nothing" not found' },
  },
  {
    action: 'virtualmachines/restore',
    is: 'bad body',
    given: off,
    body: { name: 'x' },
    expect: { status: 422, message: 'backupName' },
  },
  {
    action: 'virtualmachines/clone',
    is: 'success',
    given: on,
    body: (name: string) => ({ targetVm: `${name}-twin` }),
    expect: { status: 204 },
    after: async (name, { client }) => {
      const { items } = await client.of(VirtualMachineClone).list(at);
      expect(items.map(({ spec }) => spec.target?.name)).toContain(`${name}-twin`);
    },
  },
  {
    action: 'virtualmachines/clone',
    is: 'wrong state',
    when: 'the copy is there already',
    given: off,
    body: (name: string) => ({ targetVm: name }),
    expect: { status: 409, message: 'already exists' },
  },
  {
    action: 'virtualmachines/clone',
    is: 'bad body',
    given: off,
    body: {},
    expect: { status: 422, message: 'targetVm' },
  },
  {
    action: 'virtualmachines/clone',
    is: 'bad body',
    when: 'the run strategy is none',
    given: off,
    body: (name: string) => ({ targetVm: `${name}-twin`, runStrategy: 'Bogus' }),
    expect: { status: 422, message: 'runStrategy' },
    after: noClone,
  },
  {
    action: 'virtualmachines/clone',
    is: 'bad body',
    when: 'nothing can have that name',
    given: off,
    body: { targetVm: 'No_Name' },
    expect: { status: 422, message: 'targetVm' },
    after: noClone,
  },
  {
    action: 'virtualmachines/clone',
    is: 'success',
    when: 'the name of the copy is no name of a host',
    given: off,
    body: (name: string) => ({ targetVm: `${name}.copy` }),
    expect: { status: 204 },
  },
];
