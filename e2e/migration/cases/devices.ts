import { describe, expect, it } from 'vitest';
import { BOOTED, end, FIRST, type GuestOptions, type Guests, SECOND, small } from '../guests.ts';
import { conditionOf } from '../specs.ts';
import { allVolumes } from './allVolumes.ts';

/** KubeVirt's tests/migration/migration.go: guests with devices of all kinds, on nodes with libvirt and QEMU. */
export function deviceSpecs({ specs, virsh, libvirtdPid, second, untilPrinted }: Guests): void {
  const booted = async (name: string, options: GuestOptions = {}) => {
    const vmi = await specs().run(small(name, options));
    await untilPrinted(vmi, BOOTED);
    return vmi;
  };
  const domain = (name: string): string => `${specs().namespace}_${name}`;

  describe('live migration of a guest', () => {
    const disc = (name: string, bus: string) => ({ name, cdrom: { bus } });
    const image = (name: string) => ({ name, containerDisk: { image: 'vireo/boot-sector' } });
    it.each<[string, GuestOptions]>([
      [
        '[test_id:6969] with a tablet device',
        { devices: { inputs: [{ name: 'tablet0', type: 'tablet', bus: 'usb' }] } },
      ],
      [
        '[test_id:6970] with CD-ROMs on various bus types',
        {
          disks: [disc('cdrom-0', 'sata'), disc('cdrom-1', 'scsi')],
          volumes: [image('cdrom-0'), image('cdrom-1')],
        },
      ],
      [
        '[test_id:9795] with a USB disk',
        {
          disks: [{ name: 'uniqueusbdisk', disk: { bus: 'usb' } }],
          volumes: [{ name: 'uniqueusbdisk', emptyDisk: { capacity: '128Mi' } }],
        },
      ],
      ['with the eviction strategy LiveMigrateIfPossible', { spec: { evictionStrategy: 'LiveMigrateIfPossible' } }],
    ])('succeeds %s', async (_, options) => {
      const vmi = await booted('guest', options);
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
    });

    it('succeeds with a WriteBack disk cache', async () => {
      const vmi = await booted('guest', { cache: 'writeback' });
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      expect(await virsh(vmi, 'dumpxml', domain('guest'))).toMatch(/<driver [^>]*cache='writeback'/);
    });

    it('succeeds with freePageReporting', async () => {
      const vmi = await booted('guest');
      const reports = async () =>
        expect(await virsh(vmi, 'dumpxml', domain('guest'))).toContain("freePageReporting='on'");
      await reports();
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      await reports();
    });

    it('[test_id:4113] succeeds with a cloud-init disk and devices on the root bus', async () => {
      const vmi = await booted('guest', {
        metadata: { annotations: { 'kubevirt.io/placePCIDevicesOnRootComplex': 'true' } },
        disks: [{ name: 'settings', disk: { bus: 'virtio' } }],
        volumes: [{ name: 'settings', cloudInitNoCloud: { userData: '#!/bin/sh\necho hello\n' } }],
      });
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      expect(await virsh(vmi, 'dumpxml', domain('guest'))).not.toContain('pcie-root-port');
    });

    it('[test_id:1783] succeeds multiple times with a cloud-init disk', async () => {
      const vmi = await booted('guest', {
        disks: [{ name: 'settings', disk: { bus: 'virtio' } }],
        volumes: [{ name: 'settings', cloudInitNoCloud: { userData: '#!/bin/sh\necho hello\n' } }],
      });
      for (let moved = 0; moved < 4; moved += 1) {
        const migration = await specs().migrated(vmi);
        const { status } = await specs().confirmMigrated(vmi, migration);
        const { startTimestamp, endTimestamp, completed, migrationUid } = status?.migrationState ?? {};
        expect(migration.status?.migrationState).toMatchObject({
          startTimestamp,
          endTimestamp,
          completed,
          migrationUid,
        });
        await specs().until(async () => {
          const [card] = (await specs().vmi('guest')).status?.interfaces ?? [];
          const { podIP, podIPs = [] } = (await specs().launcher(vmi)).status ?? {};
          expect(card?.ipAddress).toBe(podIP);
          expect(card?.ipAddresses).toEqual(podIPs.map(({ ip }) => ip));
        });
      }
    });

    it('[test_id:4746] succeeds even if libvirtd has restarted at some point', async () => {
      const vmi = await booted('guest');
      const { nodeName = '' } = vmi.status ?? {};
      const before = await libvirtdPid(nodeName);
      expect(before).toBeGreaterThan(0);
      end(before, 'SIGKILL');
      await specs().until(async () => expect([0, before]).not.toContain(await libvirtdPid(nodeName)));
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
    });

    it('[test_id:6972] leads to a persistent libvirt domain', async () => {
      const vmi = await booted('guest');
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      expect((await virsh(vmi, 'list', '--persistent', '--name')).split('\n')).toContain(domain('guest'));
      expect(await virsh(vmi, 'dumpxml', domain('guest'))).not.toMatch(/<(kubevirt:)?migration>/);
    });

    it('[test_id:6973] succeeds with a paused VMI', async () => {
      const vmi = await booted('guest');
      const isPaused = async (): Promise<boolean> => (await virsh(vmi, 'domstate', domain('guest'))).includes('paused');
      await specs().vireo('pause vmi guest');
      await specs().until(async () => expect(conditionOf(await specs().vmi('guest'), 'Paused')?.status).toBe('True'));
      expect(await isPaused()).toBe(true);
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      expect(await isPaused()).toBe(true);
      await specs().vireo('unpause vmi guest');
      await specs().until(async () =>
        expect(conditionOf(await specs().vmi('guest'), 'Paused')?.status ?? 'False').toBe('False'),
      );
      expect(await isPaused()).toBe(false);
    });

    it('[test_id:1853] succeeds with containerDisk, CloudInit, ServiceAccount, ConfigMap, Secret, DownwardAPI and USB disk', async () => {
      const vmi = await specs().run(await allVolumes(specs()));
      expect(vmi.spec.domain.devices.disks).toHaveLength(7);
      expect(vmi.spec.domain.devices.interfaces).toHaveLength(1);
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
    });
  });

  describe('migration monitor', () => {
    it('[test_id:6978] a failed migration is detected, and the next one succeeds', async () => {
      const draft = await specs().policyFor(small('guest', { memory: '256Mi' }), { bandwidthPerMigration: '1Mi' });
      const vmi = await specs().run({ ...draft, spec: { ...draft.spec, nodeSelector: undefined } });
      if (vmi.status?.nodeName !== FIRST) {
        await specs().configure({ migrations: null });
        await specs().migrated(vmi, { addedNodeSelector: { 'kubernetes.io/hostname': FIRST } });
      }
      // The agent of the target is killed as soon as its QEMU is there.
      const migration = await specs().migrate(vmi, { addedNodeSelector: { 'kubernetes.io/hostname': SECOND } });
      await specs().until(async () => expect((await second()).guests).not.toEqual([]));
      for (const pid of (await second()).agents) end(pid, 'SIGKILL');
      const failed = await specs().untilPhase(migration, 'Failed');
      const stayed = await specs().confirmFailed(vmi, failed);
      expect(stayed.status?.migrationState?.failureReason).toBeTruthy();
      await specs().until(async () => expect((await second()).agents).not.toEqual([]));
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
    });
  });
}
