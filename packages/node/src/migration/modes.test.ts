import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Persisted } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { busyDisk } from '../testing/busyGuest.ts';
import { A, B, useTwoNodes } from '../testing/moves.ts';
import type { TwoNodes } from '../testing/twoNodes.ts';
import { LOST_IN_POST_COPY } from './arrival.ts';

const { cluster, startVm, handOver, moved, stayed, countsOf, stateOn, expectOneGuest } = useTwoNodes();

type Vmi = Persisted<VirtualMachineInstance>;

/** What lets QEMU, which has no privileges, catch accesses to memory that is not there yet. */
const SYSCTL = '/proc/sys/vm/unprivileged_userfaultfd';
if (process.env.VIREO_TEST_LAB === '1') await writeFile(SYSCTL, '1');
/** `VIREO_TEST_POST_COPY=1` says that QEMU can do it in another way. */
const isPostCopyAllowed =
  process.env.VIREO_TEST_POST_COPY === '1' || (await readFile(SYSCTL, 'utf8').catch(() => '')).trim() === '1';

/** A guest that a copy never catches up with. */
const BUSY = { volumes: [{ name: 'root', containerDisk: { image: 'busy' } }] };
beforeAll(async () => {
  for (const { layout } of cluster().nodes) {
    await mkdir(join(layout.images, 'busy'), { recursive: true });
    await writeFile(join(layout.images, 'busy/disk.raw'), busyDisk(16));
  }
});

const pauseOf = ({ status }: Vmi) => status?.conditions?.find(({ type }) => type === 'Paused');

describe('a guest that writes faster than it is copied', () => {
  it('stands still when its time is over, and goes on at the target', async () => {
    const vmi = await startVm('hurried', BUSY);
    const paused = cluster().vmi('hurried', ({ status }) => status?.migrationState?.mode === 'Paused');
    await handOver(vmi, B, {
      allowAutoConverge: true,
      allowWorkloadDisruption: true,
      completionTimeoutPerGiB: 8,
      bandwidthPerMigration: '32Mi',
    });
    expect(pauseOf(await paused)).toMatchObject({
      status: 'True',
      reason: 'PausedByMigrationMonitor',
      message: 'VMI was paused by the migration monitor',
    });
    const there = await moved('hurried', B);
    expect(pauseOf(there)).toBeUndefined();
    await expectOneGuest(vmi, 1);
  }, 60_000);

  it('goes on where it is if that does not help either', async () => {
    const vmi = await startVm('delayed', BUSY);
    const paused = cluster().vmi('delayed', (found) => pauseOf(found) !== undefined);
    const slow = { completionTimeoutPerGiB: 1, bandwidthPerMigration: '1Mi' };
    await handOver(vmi, B, { allowWorkloadDisruption: true, ...slow });
    await paused;
    expect((await stayed('delayed')).failureReason).toMatch(/^Live migration is not completed after \d+ sec/);
    expect(pauseOf(await cluster().vmi('delayed'))).toBeUndefined();
    await expectOneGuest(vmi, 0);
  }, 60_000);

  it('goes on where it is if the agent of its source ends while it stands still', async () => {
    const vmi = await startVm('left', BUSY);
    const paused = cluster().vmi('left', (found) => pauseOf(found) !== undefined);
    await handOver(vmi, B, { allowWorkloadDisruption: true, completionTimeoutPerGiB: 5, bandwidthPerMigration: '1Mi' });
    await paused;
    const [source] = cluster().nodes;
    await source.stop();
    await source.start();
    await stayed('left');
    expect(pauseOf(await cluster().vmi('left'))).toBeUndefined();
    await vi.waitFor(async () => expect((await stateOn(0, vmi)).state).toBe('running'));
    await expectOneGuest(vmi, 0);
  }, 60_000);

  const POST_COPY = { allowPostCopy: true, completionTimeoutPerGiB: 1 };

  it.skipIf(isPostCopyAllowed)(
    'stays where it is if the kernel of its target forbids post-copy',
    async () => {
      const vmi = await startVm('forbidden', BUSY);
      await handOver(vmi, B, POST_COPY);
      expect((await stayed('forbidden')).failureReason).toMatch(
        /^post-copy is not possible: the kernel of node node-2 .*vm\.unprivileged_userfaultfd=1/,
      );
      await expectOneGuest(vmi, 0);
    },
    60_000,
  );

  it.runIf(isPostCopyAllowed)(
    'goes on at the target before all of its memory is there',
    async () => {
      const vmi = await startVm('eager', BUSY);
      await handOver(vmi, B, { ...POST_COPY, bandwidthPerMigration: '8Mi' });
      expect((await moved('eager', B)).status?.migrationState).toMatchObject({ mode: 'PostCopy', completed: true });
      await expectOneGuest(vmi, 1);
    },
    60_000,
  );

  it.runIf(isPostCopyAllowed).each<[string, string, (nodes: TwoNodes['nodes']) => Promise<void>]>([
    [
      'torn-at-target',
      'the agent of the target ends',
      async ([, target]) => {
        await target.stop();
        await target.start();
      },
    ],
    [
      'torn-at-source',
      'the agent of the source ends',
      async ([source]) => {
        await source.stop();
        await source.start();
      },
    ],
  ])(
    '%s: is lost if %s after that, and is started again',
    async (name, _, interrupt) => {
      const vmi = await startVm(name, BUSY);
      const lost = cluster().vmi(name, ({ status }) => status?.phase === 'Failed');
      await handOver(vmi, B, { ...POST_COPY, bandwidthPerMigration: '1Mi' });
      await vi.waitFor(async () => expect(await stateOn(0, vmi)).toEqual({ state: 'paused', reason: 'postcopy' }), {
        timeout: 30_000,
        interval: 20,
      });
      await interrupt(cluster().nodes);
      expect((await lost).status?.migrationState).toMatchObject({
        mode: 'PostCopy',
        failed: true,
        failureReason: LOST_IN_POST_COPY,
      });
      const next = await cluster().vmi(
        name,
        ({ metadata, status }) => metadata.uid !== vmi.metadata.uid && status?.phase === 'Running',
      );
      expect(next.status?.nodeName).toBe(A);
      expect(await countsOf(vmi.metadata.uid)).toEqual([0, 0]);
      await expectOneGuest(next, 0);
    },
    90_000,
  );
});
