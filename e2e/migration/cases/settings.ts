import { readFileSync } from 'node:fs';
import { PersistentVolumeClaim, Pod, Service } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { BOOTED, type Guests, linux, small } from '../guests.ts';
import { allVolumes } from './allVolumes.ts';
import { untilAgent } from './load.ts';

/** Two guests of 64 MiB, one on each node, and a few pages more. */
const HUGE_PAGES = 70;
const freeHugePages = (): number => {
  try {
    return Number(readFileSync('/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages', 'utf8'));
  } catch {
    return 0;
  }
};

/** KubeVirt's tests/migration/migration.go and recovery.go: guests of clusters and hosts with particular settings. */
export function settingsSpecs(guests: Guests): void {
  const { specs, inGuest, untilPrinted, emulatorUser, virsh } = guests;
  const booted = async (draft: Draft<Vmi>): Promise<Vmi> => {
    const vmi = await specs().run(draft);
    await untilPrinted(vmi, BOOTED);
    return vmi;
  };

  describe('live migration with a headless Service', () => {
    it('the name of the VM still leads to its address', async () => {
      const { client, namespace } = specs();
      const spec = { hostname: 'alpine', subdomain: 'mysub' };
      const metadata = { labels: { subdomain: 'mysub' } };
      const vmi = await specs().run(linux('alpine', { memory: '192Mi', spec, metadata }));
      const visitor = await specs().run(linux('visitor', { memory: '192Mi' }));
      await Promise.all(['alpine', 'visitor'].map((name) => untilAgent(guests, name)));
      await inGuest(vmi, "setsid nc -ll -p 1500 -e echo 'Hello World!' >/dev/null 2>&1 &");
      await client.of(Service).create({
        metadata: { name: 'mysub', namespace },
        spec: { clusterIP: 'None', selector: { subdomain: 'mysub' }, ports: [{ port: 1500, targetPort: 1500 }] },
      });
      const expectGreeting = () =>
        specs().until(async () => expect(await inGuest(visitor, 'nc -w 5 alpine.mysub 1500')).toBe('Hello World!'));
      await expectGreeting();
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      await expectGreeting();
    });
  });

  describe('live migration between users', () => {
    const SORTS: readonly [string, number, () => Promise<Draft<Vmi>>][] = [
      ['simple VMI', 8609, async () => small('guest')],
      ['CD, CloudInit, ServiceAccount, ConfigMap, Secret and DownwardAPI', 8611, () => allVolumes(specs())],
    ];
    /** Whether new guests run as root. */
    const wantRoot = async (isWanted: boolean): Promise<void> => {
      const { spec } = await specs().client.of(KubeVirt).get('kubevirt', { namespace: 'kubevirt' });
      const gates = spec?.configuration?.developerConfiguration?.featureGates ?? [];
      const others = gates.filter((gate) => gate !== 'Root');
      await specs().configure({
        developerConfiguration: { featureGates: isWanted ? [...others, 'Root'] : others },
      });
    };
    const directions = [
      ['root', 'another user', true],
      ['another user', 'root', false],
    ] as const;
    for (const [from, to, isRootFirst] of directions)
      for (const [what, id, draft] of SORTS)
        it(`${isRootFirst ? `[test_id:${id}] ` : ''}a guest of ${from} goes on as ${to}: ${what}`, async () => {
          await wantRoot(isRootFirst);
          try {
            const vmi = await booted(await draft());
            expect((await emulatorUser(vmi)) === 0).toBe(isRootFirst);
            await wantRoot(!isRootFirst);
            await specs().confirmMigrated(vmi, await specs().migrated(vmi));
            expect((await emulatorUser(vmi)) === 0).toBe(!isRootFirst);
          } finally {
            await wantRoot(false);
          }
        });
  });

  describe('live migration with settings', () => {
    it('[test_id:6976] succeeds with TLS disabled', async () => {
      await specs().configure({ migrations: { disableTLS: true } });
      const vmi = await booted(small('guest'));
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
    });

    it('succeeds with parallel migration threads that an annotation of the VMI asks for', async () => {
      const annotations = { 'kubevirt.io/multiThreadedQemuMigration': '4' };
      const vmi = await booted(small('guest', { metadata: { annotations } }));
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
    });

    it('[test_id:6983] succeeds with huge pages of 2 MiB', async ({ skip }) => {
      if (freeHugePages() < HUGE_PAGES)
        return skip(`fewer than ${HUGE_PAGES} huge pages are free: echo ${HUGE_PAGES} > /proc/sys/vm/nr_hugepages`);
      const draft = small('guest', { memory: '64Mi' });
      draft.spec.domain.memory = { guest: '64Mi', hugepages: { pageSize: '2Mi' } };
      const vmi = await booted(draft);
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      expect(await virsh(vmi, 'dumpxml', `${specs().namespace}_guest`)).toContain("<page size='2048' unit='KiB'/>");
    });

    it('a guest with dedicated CPUs has those that its new node gives it', async () => {
      const draft = small('guest');
      draft.spec.domain.cpu = { cores: 1, dedicatedCpuPlacement: true };
      const vmi = await booted(draft);
      const pinned = async (): Promise<string[]> =>
        [
          ...(await virsh(vmi, 'dumpxml', `${specs().namespace}_guest`)).matchAll(/<vcpupin [^>]*cpuset='([^']+)'/g),
        ].map(([, cpus = '']) => cpus);
      expect(await pinned()).toHaveLength(1);
      const moved = await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      expect(await pinned()).toEqual((await guests.dedicatedCpus(moved)).map(String));
    });
  });

  describe('migration recovery', () => {
    it('a migration whose source is killed is deferred: the state stays on the claim that it was on', async () => {
      const { client, namespace } = specs();
      const { spec, metadata } = await specs().policyFor(
        small('guest', { memory: '256Mi', devices: { tpm: { persistent: true } } }),
        {
          bandwidthPerMigration: '1Ki',
        },
      );
      await client.of(VirtualMachine).create({
        metadata: { name: 'guest', namespace },
        spec: { runStrategy: 'Manual', template: { metadata: { labels: metadata.labels }, spec } },
      });
      await specs().vireo('start guest');
      await specs().until(async () => void (await specs().vmi('guest')));
      const vmi = await specs().running('guest');
      const source = await specs().launcher(vmi);
      const migration = await specs().untilPhase(await specs().migrate(vmi), 'Running');
      const { migrationState } = (await specs().vmi('guest')).status ?? {};
      const { sourcePersistentStatePVCName: kept = '', targetPersistentStatePVCName: removed = '' } =
        migrationState ?? {};
      expect(removed).not.toBe(kept);
      await client.of(Pod).delete(source.metadata.name, { namespace, gracePeriodSeconds: 0 });
      await specs().until(async () => {
        const { items } = await client.of(PersistentVolumeClaim).list({ namespace });
        const phase = (await specs().kubectl.run(`get vmi guest -n ${namespace} -o jsonpath={.status.phase}`)).stdout;
        expect(['', 'Failed']).toContain(phase);
        expect(items.map(({ metadata: { name } }) => name)).toContain(kept);
      });
      await specs().until(async () => {
        expect(await specs().vireo('start guest')).not.toContain('exit code');
      });
      await specs().until(async () => {
        const { items } = await client.of(PersistentVolumeClaim).list({ namespace });
        expect(
          items.map(({ metadata: { name, labels } }) => ({ name, owner: labels?.['persistent-state-for'] })),
        ).toEqual([{ name: kept, owner: 'guest' }]);
      });
      expect((await specs().running('guest')).metadata.uid).not.toBe(vmi.metadata.uid);
      await specs().gone(migration);
    });
  });
}
