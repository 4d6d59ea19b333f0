import { BACKUP_TARGET_SETTING, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { HarvesterRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';
import { duringSnapshot } from './snapshots.ts';

/** What the controller says of the target, which is not here. */
async function setTarget({ client }: ContractContext, isUsable: boolean): Promise<void> {
  const settings = client.of(Setting);
  const value = isUsable ? JSON.stringify({ type: 'directory', endpoint: 'file:///mnt/backup' }) : '';
  await settings.createOrGet({ metadata: { name: BACKUP_TARGET_SETTING } });
  await settings.patch(BACKUP_TARGET_SETTING, { value }, { type: 'merge' });
  const condition = { type: 'configured', status: isUsable ? 'True' : 'False', message: 'no backup target is set' };
  await settings.patchStatus(BACKUP_TARGET_SETTING, { status: { conditions: [condition] } }, { type: 'merge' });
}

const off = async (name: string, context: ContractContext): Promise<void> => {
  await setTarget(context, true);
  await context.vms.createVm(name);
};

/** A VM that is off, and a backup of it that can be restored. */
async function backedUp(name: string, context: ContractContext): Promise<void> {
  await off(name, context);
  const { client } = context;
  const { metadata, spec } = await client.of(VirtualMachine).get(name, at);
  const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name };
  await client.of(HarvesterBackup).create({ metadata: { name, ...at }, spec: { source, type: 'backup' } });
  const status = { readyToUse: true, sourceUID: metadata.uid, source: { metadata: { name }, spec }, volumeBackups: [] };
  await client.of(HarvesterBackup).patchStatus(name, { status }, { ...at, type: 'merge' });
}

/** Backups of VMs, and their restores. */
export const BACKUP_CASES: readonly ContractCase[] = [
  {
    action: 'virtualmachines/backup',
    is: 'success',
    given: off,
    body: (name: string) => ({ name: `${name}-monday`, fsFreezeDeadline: '30s' }),
    expect: { status: 204 },
    after: async (name, { client }) => {
      const { spec } = await client.of(HarvesterBackup).get(`${name}-monday`, at);
      expect(spec).toEqual({
        source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name },
        type: 'backup',
        fsFreezeDeadline: '30s',
      });
    },
  },
  {
    action: 'virtualmachines/backup',
    is: 'wrong state',
    when: 'there is no target',
    given: async (name, context) => {
      await off(name, context);
      await setTarget(context, false);
    },
    body: { name: 'x' },
    expect: { status: 409, message: 'no backup can be made: no backup target is set' },
  },
  {
    action: 'virtualmachines/backup',
    is: 'wrong state',
    when: 'a snapshot is under way',
    given: async (name, context) => {
      await off(name, context);
      await duringSnapshot(name, context);
    },
    body: { name: 'x' },
    expect: { status: 409, message: 'snapshot "other" is in progress' },
  },
  {
    action: 'virtualmachines/backup',
    is: 'bad body',
    given: off,
    body: { name: 'x', fsFreezeDeadline: 'soon' },
    expect: { status: 422, message: 'fsFreezeDeadline' },
  },
  {
    action: 'virtualmachines/restore',
    is: 'success',
    when: 'it is of a backup',
    given: backedUp,
    body: (name: string) => ({ name: `${name}-back`, backupName: name, haltAfterRestore: true }),
    expect: { status: 204 },
    after: async (name, { client }) => {
      const { spec } = await client.of(HarvesterRestore).get(`${name}-back`, at);
      expect(spec).toMatchObject({
        target: { name },
        virtualMachineBackupName: name,
        virtualMachineBackupNamespace: 'default',
        newVM: false,
        haltAfterRestore: true,
      });
    },
  },
  {
    action: 'virtualmachines/restore',
    is: 'wrong state',
    when: 'another restore of it goes on',
    given: async (name, context) => {
      await backedUp(name, context);
      const target = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name };
      const spec = { target, virtualMachineBackupName: name };
      await context.client.of(HarvesterRestore).create({ metadata: { name: `${name}-first`, ...at }, spec });
    },
    body: (name: string) => ({ name: `${name}-second`, backupName: name }),
    expect: { status: 422, message: 'is in progress; wait for it or delete it' },
  },
];
