import { chmod, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';

let cluster: TestCluster;
const at = { namespace: NAMESPACE };

beforeAll(async () => {
  cluster = await startTestCluster();
  const resources = { requests: { storage: '256Mi' } };
  for (const [name, storageClassName] of [
    ['dumps', 'local-wait'],
    ['lost', 'local'],
  ] as const)
    await cluster.admin
      .of(PersistentVolumeClaim)
      .create({ metadata: { name, ...at }, spec: { accessModes: ['ReadWriteOnce'], resources, storageClassName } });
  await cluster.admin.of(VirtualMachine).create(bootSectorVm('web'));
  await cluster.vmis.until('web', ({ status }) => status?.phase === 'Running');
});
afterAll(() => cluster?.close());

/** As the subresources of a VM do it. */
const ask = (memoryDumpRequest: object) =>
  cluster.admin.of(VirtualMachine).patchStatus('web', { status: { memoryDumpRequest } }, { ...at, type: 'merge' });
const inPhase = (phase: string | undefined) =>
  cluster.vms.until('web', ({ status }) => status?.memoryDumpRequest?.phase === phase);
const dumpOf = ({ spec }: Pick<VirtualMachineInstance, 'spec'>) => spec.volumes?.find(({ memoryDump }) => memoryDump);

async function directoryOf(claim: string): Promise<string> {
  const { spec } = await cluster.admin.of(PersistentVolumeClaim).get(claim, at);
  const volume = await cluster.admin.of(PersistentVolume).get(spec?.volumeName ?? '');
  return volume.spec?.local?.path ?? '';
}
const dumpsIn = async (directory: string) => (await readdir(directory)).filter((name) => name.includes('memory.dump'));

it('memory is written to a claim, which may have waited for it, again and again, until that is let go', async () => {
  await ask({ claimName: 'dumps', phase: 'Associating' });
  const { spec, status } = await inPhase('Completed');
  const first = status?.memoryDumpRequest;
  expect(first).toMatchObject({
    claimName: 'dumps',
    fileName: expect.stringMatching(/^web-dumps-\d{8}-\d{6}\.memory\.dump$/),
    startTimestamp: expect.any(String),
    endTimestamp: expect.any(String),
  });
  expect(dumpOf({ spec: spec.template.spec ?? { domain: { devices: {} } } })?.name).toBe('dumps');
  expect(status?.conditions?.map(({ type }) => type)).not.toContain('RestartRequired');
  const vmi = await cluster.vmis.until('web');
  expect(dumpOf(vmi)).toBeUndefined();
  expect(vmi.status?.volumeStatus?.map(({ name }) => name)).toEqual(['root']);

  const directory = await directoryOf('dumps');
  expect(await dumpsIn(directory)).toEqual([first?.fileName]);
  const file = await open(join(directory, first?.fileName ?? ''));
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
  const { size } = await file.stat();
  await file.close();
  expect(buffer.toString('latin1')).toBe('\x7fELF');
  expect(size).toBeGreaterThan(64 * 1024 * 1024);

  await ask({ phase: 'Associating', endTimestamp: null, startTimestamp: null, fileName: null });
  const again = await inPhase('Completed');
  expect(await dumpsIn(directory)).toEqual([again.status?.memoryDumpRequest?.fileName]);

  // A guest that shares the directory could put a link there.
  await chmod(directory, 0o777);
  await ask({ phase: 'Associating', endTimestamp: null, startTimestamp: null, fileName: null });
  const refused = await inPhase('Failed');
  expect(refused.status?.memoryDumpRequest?.message).toContain(`${directory} can be changed by other users`);
  await chmod(directory, 0o711);

  await ask({ phase: 'Dissociating', remove: true });
  const released = await inPhase(undefined);
  expect(dumpOf({ spec: released.spec.template.spec ?? { domain: { devices: {} } } })).toBeUndefined();
  expect(await dumpsIn(directory)).toHaveLength(1);
}, 60_000);

it('a memory dump that fails says why, and can be tried again', async () => {
  const directory = await directoryOf('lost');
  await rm(directory, { recursive: true });
  await ask({ claimName: 'lost', phase: 'Associating' });
  const waiting = ({ status }: VirtualMachineInstance) => status?.volumeStatus?.find(({ name }) => name === 'lost');
  const vmi = await cluster.vmis.until('web', (each) => waiting(each) !== undefined);
  expect(waiting(vmi)?.message).toContain(`no directory at ${directory}`);
  await cluster.admin.of(VirtualMachine).patch('web', { spec: { runStrategy: 'Halted' } }, { ...at, type: 'merge' });
  const { status } = await inPhase('Failed');
  expect(status?.memoryDumpRequest?.message).toBe('the VM stopped during the memory dump');
}, 60_000);
