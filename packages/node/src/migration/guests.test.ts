import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Persisted, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { MIGRATION_FINALIZER, Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { bootSectorDisk } from '../guestImage/bootSectorGuest.ts';
import { NAMESPACE } from '../testing/cluster.ts';
import { A, B, SLOW, useTwoNodes } from '../testing/moves.ts';

const isRoot = process.getuid?.() === 0;
const { cluster, startVm, handOver, moved, stayed, countsOf, hasChannel, expectOneGuest } = useTwoNodes(
  isRoot ? { smallMib: 192 } : {},
);
const run = promisify(execFile);
const at = { namespace: NAMESPACE };

describe('a guest with firmware that remembers', () => {
  /** The claims with the state of a VM, or of one that is on its way. */
  const claims = async (): Promise<Persisted<PersistentVolumeClaim>[]> =>
    (await cluster().admin.of(PersistentVolumeClaim).list(at)).items.filter(({ metadata }) =>
      metadata.name.startsWith('persistent-state-for-'),
    );
  const directoryOf = async ({ spec }: Persisted<PersistentVolumeClaim>): Promise<string> =>
    (
      await cluster()
        .admin.of(PersistentVolume)
        .get(spec?.volumeName ?? '')
    ).spec?.local?.path ?? '';
  const tpmOf = (directory: string): Promise<Buffer> => readFile(join(directory, 'swtpm/tpm2/tpm2-00.permall'));
  const migrate = (name: string): Promise<unknown> =>
    cluster()
      .admin.of(Migration)
      .create({
        metadata: { ...at, name, labels: { 'kubevirt.io/vmi-name': 'guarded' }, finalizers: [MIGRATION_FINALIZER] },
        spec: { vmiName: 'guarded' },
      });

  it('takes its UEFI variables and its TPM along to a claim of the other node', async () => {
    const vmi = await startVm('guarded', {
      domain: {
        machine: { type: 'q35' },
        memory: { guest: '128Mi' },
        features: { acpi: {}, smm: { enabled: true } },
        firmware: { bootloader: { efi: { secureBoot: true, persistent: true } } },
        devices: { tpm: { persistent: true } },
      },
      nodeSelector: {},
    });
    const from = vmi.status?.nodeName;
    const to = from === A ? B : A;
    const [source, ...others] = await claims();
    expect(others).toEqual([]);
    expect(vmi.status?.conditions?.find(({ type }) => type === 'LiveMigratable')?.status).toBe('True');
    const tpm = source && (await tpmOf(await directoryOf(source)));
    await migrate('move');
    const there = await moved('guarded', to);
    const target = (await claims()).find(({ metadata }) => metadata.name !== source?.metadata.name);
    expect(there.status?.migrationState).toMatchObject({
      sourcePersistentStatePVCName: source?.metadata.name,
      targetPersistentStatePVCName: target?.metadata.name,
    });
    expect(there.status?.volumeStatus?.map(({ name }) => name)).toContain(target?.metadata.name);
    // The TPM has secrets of its own, which no other has.
    const directory = target ? await directoryOf(target) : '';
    expect(commonBlocks(tpm ?? Buffer.alloc(0), await tpmOf(directory))).toBeGreaterThan(0.8);
    const variables = join(directory, 'nvram/vars.fd');
    expect((await readFile(variables)).includes('Microsoft Corporation UEFI CA')).toBe(true);
    const owner = (await stat(variables)).uid;
    await cluster().vmi('guarded', ({ status }) => status?.runtimeUser === owner);
    await vi.waitFor(
      async () =>
        expect((await claims()).map(({ metadata: { name, labels } }) => ({ name, labels }))).toEqual([
          { name: target?.metadata.name, labels: { 'persistent-state-for': 'guarded' } },
        ]),
      { timeout: 30_000 },
    );
  }, 90_000);

  it('leaves no other claim if it stays', async () => {
    const [before] = await claims();
    const { nodeName } = (await cluster().vmi('guarded')).status ?? {};
    const target = cluster().nodes[nodeName === A ? 1 : 0];
    await target.stop();
    await migrate('in-vain');
    await vi.waitFor(async () =>
      expect(
        (await claims()).filter(({ metadata }) => metadata.labels?.['kubevirt.io/migrationName'] === 'in-vain'),
      ).toHaveLength(1),
    );
    await cluster().admin.of(Migration).delete('in-vain', at);
    await target.start();
    await vi.waitFor(
      async () => expect((await claims()).map(({ metadata }) => metadata.name)).toEqual([before?.metadata.name]),
      { timeout: 30_000 },
    );
    expect((await cluster().vmi('guarded')).status).toMatchObject({ phase: 'Running', nodeName });
  }, 90_000);
});

/** How much of one file is in another, wherever there. */
function commonBlocks(one: Buffer, other: Buffer): number {
  const size = 32;
  const blocks = Array.from({ length: Math.floor(one.length / size) }, (_, i) =>
    one.subarray(i * size, (i + 1) * size),
  );
  const written = blocks.filter((block) => block.some((byte) => byte !== 0));
  return written.filter((block) => other.includes(block)).length / Math.max(1, written.length);
}

describe.runIf(isRoot)('a guest whose target has no space stays, and says why,', () => {
  const home = (): string => join(cluster().nodes[1].layout.images, '..');
  const fill = async (leaveMib: number): Promise<void> => {
    const { bavail, bsize } = await statfs(home());
    const bytes = bavail * bsize - leaveMib * 1024 * 1024;
    // As much as there is room for; that it ends with an error is the point.
    await run('dd', [
      'if=/dev/zero',
      `of=${join(home(), 'ballast')}`,
      'bs=64k',
      `count=${Math.ceil(bytes / 65_536)}`,
    ]).catch(() => {});
  };
  beforeAll(async () => {
    // Not the same on both nodes, so that all of it is copied.
    for (const { layout } of cluster().nodes) {
      await mkdir(join(layout.images, 'big'), { recursive: true });
      await writeFile(join(layout.images, 'big/disk.raw'), Buffer.concat([bootSectorDisk(), randomBytes(40 << 20)]));
    }
  });
  afterEach(() => rm(join(home(), 'ballast'), { force: true }));

  const expectNothingLeft = async ({ metadata }: Persisted<VirtualMachineInstance>): Promise<void> => {
    await expectOneGuest(await cluster().vmi(metadata.name), 0);
    // The pod stays until the next migration, and the log with it.
    const left = () => readdir(join(home(), 'machines', metadata.uid)).catch(() => []);
    await vi.waitFor(async () => expect((await left()).filter((name) => name !== 'serial.log')).toEqual([]));
    expect(await countsOf(metadata.uid)).toEqual([1, 0]);
  };

  it('if that is found out while its disk is copied', async () => {
    const vmi = await startVm('large', { volumes: [{ name: 'root', containerDisk: { image: 'big' } }] });
    await fill(24);
    await handOver(vmi, B);
    expect((await stayed('large')).failureReason).toMatch(/disk vda failed: No space left on device/);
    await expectNothingLeft(vmi);
  }, 60_000);

  it('if that is found out when all of it is there', async () => {
    const vmi = await startVm('late');
    await handOver(vmi, B, SLOW);
    await vi.waitFor(() => expect(hasChannel(cluster().nodes[0].layout.run)).resolves.toBe(true), { interval: 10 });
    await fill(0);
    expect((await stayed('late')).failureReason).toMatch(
      /^node node-2 could not have the guest go on: .*No space left/,
    );
    await rm(join(home(), 'ballast'));
    await expectNothingLeft(vmi);
  }, 60_000);
});
