import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startVmServer, type VmServer } from '../../../testing/vmServer.ts';
import { timestampedName } from './follow.ts';

let server: VmServer;
beforeAll(async () => {
  server = await startVmServer();
});
afterAll(() => server?.close());

const at = { namespace: 'default' };
const run = (...args: string[]) => server.run('snapshot', ...args);
const snapshots = () => server.installation.server.client.of(VirtualMachineSnapshot);
const restores = () => server.installation.server.client.of(VirtualMachineRestore);

/** There are no controllers here: what they would say is said for them. */
async function tell(name: string, status: object): Promise<void> {
  await vi.waitFor(() => snapshots().get(name, at), { timeout: 30_000 });
  await snapshots().patchStatus(name, { status }, { ...at, type: 'merge' });
}

const READY = {
  phase: 'Succeeded',
  readyToUse: true,
  creationTime: '2026-01-02T03:04:05Z',
  indications: ['GuestAgent', 'Online'],
  snapshotVolumes: { includedVolumes: ['data'], excludedVolumes: ['root'] },
};

describe('a snapshot', () => {
  it('is waited for, and told of', async () => {
    await server.vm('web', 'Halted');
    const { metadata } = await server.installation.server.client.of(VirtualMachine).get('web', at);
    const asked = run('create', 'web', 'first', '--retain');
    await tell('first', { ...READY, sourceUID: metadata.uid });
    expect(await asked).toMatchObject({
      code: 0,
      stdout: 'Snapshot first of VM web is ready: disks data (not root); GuestAgent, Online\n',
    });
    expect((await snapshots().get('first', at)).spec.deletionPolicy).toBe('Retain');
  });

  it('that fails says why', async () => {
    const asked = run('create', 'web', 'late');
    await tell('late', { phase: 'Failed', error: { message: 'snapshot deadline exceeded' } });
    expect(await asked).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('VirtualMachineSnapshot late failed: snapshot deadline exceeded'),
    });
  });

  it('is listed with what is in it', async () => {
    const { stdout } = await run('list', 'web');
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['VM', 'SNAPSHOT', 'TAKEN', 'STATE', 'CONTENTS'],
      ['web', 'first', '2026-01-02T03:04:05Z', 'Ready', 'disks data (not root); GuestAgent, Online'],
      ['web', 'late', '-', 'Failed', 'snapshot deadline exceeded'],
      [''],
    ]);
    expect(await run('list', 'nobody')).toMatchObject({ stdout: 'No snapshots found.\n' });
  });

  it('is restored', async () => {
    expect(await run('restore', 'web', 'first', '--no-wait')).toMatchObject({
      code: 0,
      stdout: 'Restore of VM web from first was requested\n',
    });
    const { items } = await restores().list(at);
    expect(items).toMatchObject([
      {
        spec: { target: { name: 'web' }, virtualMachineSnapshotName: 'first', targetReadinessPolicy: 'FailImmediate' },
      },
    ]);
  });

  it('is deleted', async () => {
    expect(await run('delete', 'web', 'late', '--dry-run')).toMatchObject({ code: 0 });
    expect(await run('delete', 'web', 'late')).toMatchObject({ stdout: 'Snapshot late of VM web deleted\n' });
    expect((await snapshots().list(at)).items.map(({ metadata }) => metadata.name)).toEqual(['first']);
  });

  it.each([
    [['create', 'nobody'], 'cannot take a snapshot of VM nobody: virtualmachines.kubevirt.io "nobody" not found'],
    [['create', 'web', 'No Name'], 'cannot take a snapshot of VM web:'],
    [['restore', 'web', 'nothing'], 'virtualmachinesnapshots.snapshot.kubevirt.io "nothing" not found'],
    [['delete', 'other', 'first'], 'snapshot first belongs to VM web, not to other'],
  ])('%j is refused in words', async (args, why) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(why);
  });

  it('of a VM that runs is not restored unless it may be stopped', async () => {
    await server.instance('web');
    const { stderr } = await run('restore', 'web', 'first');
    expect(stderr).toContain('VM web is running: stop it before you restore it');
    expect(stderr).toContain('--stop');
  });
});

it('names of moments sort by time', () => {
  expect(timestampedName('web', new Date('2026-01-02T03:04:05.678Z'))).toBe('web-20260102-030405');
});
