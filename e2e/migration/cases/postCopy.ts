import { readFileSync } from 'node:fs';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { describe, expect, it } from 'vitest';
import { end, FIRST, type Guests, linux, prefer, SECOND, stress } from '../guests.ts';
import { conditionOf } from '../specs.ts';
import { untilAgent } from './load.ts';

/** QEMU fetches memory that has not come yet by userfaultfd, which hosts may keep from users other than root. */
const canPostCopy = readFileSync('/proc/sys/vm/unprivileged_userfaultfd', 'utf8').trim() === '1';

/** How a spec sets what migrations are to do: by a policy for its VMI, or for the cluster. */
const WAYS = [
  ['a migration policy', true],
  ['the KubeVirt CR', false],
] as const;

/** KubeVirt's tests/migration/postcopy.go and paused.go: what happens to guests whose memory changes too quickly. */
export function postCopySpecs(guests: Guests): void {
  const { specs, inGuest, second } = guests;

  /** A Linux guest that writes to its memory all the time, and settings for its migrations. */
  async function busy(settings: object, isPolicy: boolean) {
    const draft = linux('busy', { memory: '384Mi' });
    if (!isPolicy) await specs().configure({ migrations: settings });
    const vmi = await specs().run(isPolicy ? await specs().policyFor(draft, settings) : draft);
    await untilAgent(guests, 'busy');
    await inGuest(vmi, stress(120));
    return vmi;
  }
  const untilMode = (mode: string) =>
    specs().until(async () => expect((await specs().vmi('busy')).status?.migrationState?.mode).toBe(mode));

  describe.runIf(canPostCopy)('post-copy live migration', () => {
    const settings = { allowPostCopy: true, completionTimeoutPerGiB: 1, bandwidthPerMigration: '5Mi' };

    it.each(WAYS)('[test_id:4747] succeeds using %s', async (_, isPolicy) => {
      const vmi = await busy(settings, isPolicy);
      const moved = await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      expect(moved.status?.migrationState?.mode).toBe('PostCopy');
    });

    it('restarts a VM after a failure', async () => {
      await specs().configure({
        migrations: { allowPostCopy: true, completionTimeoutPerGiB: 20, bandwidthPerMigration: '1Mi' },
      });
      const { namespace, client } = specs();
      const { spec } = linux('busy', { memory: '512Mi' });
      await client.of(VirtualMachine).create({
        metadata: { name: 'busy', namespace },
        spec: { runStrategy: 'RerunOnFailure', template: { spec: { ...spec, affinity: prefer(SECOND) } } },
      });
      await specs().until(async () => void (await specs().vmi('busy')));
      const vmi = await specs().running('busy');
      expect(vmi.status?.nodeName).toBe(SECOND);
      await untilAgent(guests, 'busy');
      await inGuest(vmi, stress(250));
      const migration = await specs().migrate(vmi, { addedNodeSelector: { 'kubernetes.io/hostname': FIRST } });
      await untilMode('PostCopy');
      for (const pid of (await second()).agents) end(pid, 'SIGKILL');
      await specs().untilPhase(migration, 'Failed');
      await specs().until(async () => {
        const { metadata, status } = await specs().vmi('busy');
        expect(metadata.uid).not.toBe(vmi.metadata.uid);
        expect(status?.phase).toBe('Running');
      });
    });
  });

  describe('live migration of a VMI that is paused for it', () => {
    const settings = {
      allowWorkloadDisruption: true,
      allowPostCopy: false,
      completionTimeoutPerGiB: 20,
      bandwidthPerMigration: '10Mi',
    };

    it.each(WAYS)(
      'pauses the VMI and succeeds when the acceptable time is exceeded and post-copy is forbidden, using %s',
      async (_, isPolicy) => {
        const vmi = await busy(settings, isPolicy);
        const migration = await specs().migrate(vmi);
        await untilMode('Paused');
        await specs().untilPhase(migration, 'Succeeded');
        await specs().until(async () =>
          expect(conditionOf(await specs().vmi('busy'), 'Paused')?.status ?? 'False').toBe('False'),
        );
      },
    );
  });
}
