import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { conditionOf, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { SHARED_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { migrationProgress } from '@vireo/api/kinds/kubevirt/migration.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOOTED, FIRST, type Guests, linux, prefer, SECOND, small } from '../guests.ts';
import { untilAgent } from './load.ts';

type Vm = Awaited<ReturnType<typeof createVm>>;

const MIB = 1 << 20;
const SHARED = 'shared-by-nodes';

const otherThan = (node: string | undefined): string => (node === FIRST ? SECOND : FIRST);

/** A VM of a VMI that is only a draft. */
async function createVm(guests: Guests, { metadata, spec }: ReturnType<typeof small>) {
  const { client, namespace } = guests.specs();
  return client.of(VirtualMachine).create({
    metadata: { name: metadata.name, namespace },
    spec: { runStrategy: 'Always', template: { spec } },
  } as never);
}

/** What KubeVirt's tests/storage/migration.go shows with imported disks: volumes that move, and some that are plugged in. */
export function volumeSpecs(guests: Guests): void {
  const { specs, untilPrinted, inGuest, virsh } = guests;
  let shared = '';
  beforeAll(async () => {
    shared = await mkdtemp('/tmp/vireo-shared-');
    // The users of guests pass through to their disks.
    await chmod(shared, 0o711);
    await specs()
      .client.of(StorageClass)
      .create({ metadata: { name: SHARED }, provisioner: SHARED_PROVISIONER, parameters: { directory: shared } });
    await specs().until(async () => {
      const { metadata } = await specs().client.of(StorageClass).get(SHARED);
      expect(metadata.annotations?.['shared.vireo.io/status']).toMatch(new RegExp(`ready on ${FIRST}, ${SECOND}`));
    });
  });
  afterAll(() => rm(shared, { recursive: true, force: true }));

  const at = () => ({ namespace: specs().namespace });
  const merge = () => ({ ...at(), type: 'merge' as const });
  const claim = (name: string, { storageClass = 'local', mib = 16 } = {}): Promise<unknown> =>
    specs()
      .client.of(PersistentVolumeClaim)
      .create({
        metadata: { name, ...at() },
        spec: {
          accessModes: [storageClass === SHARED ? 'ReadWriteMany' : 'ReadWriteOnce'],
          storageClassName: storageClass,
          resources: { requests: { storage: `${mib}Mi` } },
        },
      });
  /** The file of a claim's disk. */
  async function diskOf(name: string): Promise<string> {
    const { client } = specs();
    const { spec } = await client.of(PersistentVolumeClaim).get(name, at());
    const { spec: volume } = await client.of(PersistentVolume).get(spec?.volumeName ?? '');
    return join(volume?.local?.path ?? volume?.hostPath?.path ?? '', 'disk.img');
  }
  const data = (name: string) => ({ name: 'data', persistentVolumeClaim: { claimName: name } });
  const DISK = { name: 'data', disk: { bus: 'virtio' } };

  /** A guest with a disk on a claim of one node, and what is on it. */
  async function withData(name: string): Promise<{ readonly vmi: Vmi; readonly bytes: Buffer }> {
    await claim('from');
    const draft = small(name, { disks: [DISK], volumes: [data('from')], spec: { affinity: prefer(FIRST) } });
    await createVm(guests, draft);
    const vmi = await specs().running(name);
    await untilPrinted(vmi, BOOTED);
    const bytes = randomBytes(16 * MIB);
    const file = await open(await diskOf('from'), 'r+');
    await file.write(bytes);
    await file.sync();
    await file.close();
    return { vmi, bytes };
  }
  const vm = (name: string): Promise<Vm> => specs().client.of(VirtualMachine).get(name, at());
  async function changeClaim(name: string, to: string): Promise<void> {
    const { spec } = await vm(name);
    const volumes = spec.template.spec?.volumes?.map((volume) => (volume.name === 'data' ? data(to) : volume));
    const body = { spec: { updateVolumesStrategy: 'Migration', template: { spec: { volumes } } } };
    await specs().client.of(VirtualMachine).patch(name, body, merge());
  }
  const claimOf = ({ spec }: Vmi): string | undefined =>
    spec.volumes?.find(({ name }) => name === 'data')?.persistentVolumeClaim?.claimName;
  /** Waits until the guest has its disk on a claim, and nothing moves any more. */
  const untilMoved = (name: string, to: string): Promise<Vmi> =>
    specs().until(async () => {
      const now = await specs().vmi(name);
      expect(claimOf(now)).toBe(to);
      expect(now.status?.migratedVolumes ?? []).toEqual([]);
      expect(conditionOf(now, 'VolumesChange')).toBeUndefined();
      expect((await vm(name)).status?.volumeUpdateState).toBeUndefined();
      return now;
    });
  const moving = (name: string): Promise<Vmi> =>
    specs().until(async () => {
      const now = await specs().vmi(name);
      expect(now.status?.migrationState?.startTimestamp).toBeTruthy();
      expect(now.status?.migrationState?.completed ?? false).toBe(false);
      return now;
    });
  /** Seconds for a disk of the tests. */
  const slowly = () => specs().configure({ migrations: { bandwidthPerMigration: '1Mi' } });

  describe('a volume of a running VM', () => {
    it('moves from a claim of one node to a claim of another', async () => {
      const { vmi, bytes } = await withData('local-local');
      expect(conditionOf(vmi, 'LiveMigratable')).toMatchObject({ status: 'False', reason: 'DisksNotLiveMigratable' });
      await claim('to', { mib: 24 });
      await changeClaim('local-local', 'to');
      const moved = await untilMoved('local-local', 'to');
      expect(moved.status).toMatchObject({ phase: 'Running', nodeName: otherThan(vmi.status?.nodeName) });
      expect((await readFile(await diskOf('to'))).subarray(0, bytes.length).equals(bytes)).toBe(true);
      expect(conditionOf(moved, 'LiveMigratable')).toMatchObject({ status: 'False' });
      expect(conditionOf(await vm('local-local'), 'RestartRequired')).toBeUndefined();
    });

    it('moves to a claim that all nodes have, after which its guest needs no copy to migrate', async () => {
      const { vmi, bytes } = await withData('local-shared');
      await claim('to', { storageClass: SHARED });
      await changeClaim('local-shared', 'to');
      const moved = await untilMoved('local-shared', 'to');
      const disk = await diskOf('to');
      expect((await readFile(disk)).equals(bytes)).toBe(true);
      await specs().until(async () =>
        expect(conditionOf(await specs().vmi('local-shared'), 'LiveMigratable')?.status).toBe('True'),
      );
      const back = await specs().migrated(moved);
      expect((await specs().confirmMigrated(moved, back)).status?.nodeName).toBe(vmi.status?.nodeName);
      expect((await readFile(disk)).equals(bytes)).toBe(true);
    });

    it('stays if the change is taken back while it moves, and can move again', async () => {
      const { vmi, bytes } = await withData('regretted');
      await claim('to');
      await slowly();
      await changeClaim('regretted', 'to');
      await moving('regretted');
      await specs().until(async () =>
        expect(migrationProgress(await specs().vmi('regretted'))?.percent).toBeGreaterThan(0),
      );
      await changeClaim('regretted', 'from');
      await specs().until(async () => {
        const now = await specs().vmi('regretted');
        expect(claimOf(now)).toBe('from');
        expect(now.status?.migratedVolumes ?? []).toEqual([]);
        expect(conditionOf(now, 'VolumesChange')).toMatchObject({
          status: 'False',
          reason: 'VolumesChangeCancellation',
        });
        expect(now.status?.migrationState).toMatchObject({ failed: true, abortStatus: 'Succeeded' });
      });
      const stayed = await specs().vmi('regretted');
      expect(stayed.status).toMatchObject({ phase: 'Running', nodeName: vmi.status?.nodeName });
      expect(stayed.metadata.uid).toBe(vmi.metadata.uid);
      await specs().until(async () => expect(migrationProgress(await specs().vmi('regretted'))).toBeUndefined());
      await specs().configure({ migrations: null });
      await changeClaim('regretted', 'to');
      await untilMoved('regretted', 'to');
      expect((await readFile(await diskOf('to'))).equals(bytes)).toBe(true);
    });

    it('does not move to a smaller claim, and the migration says so', async () => {
      const { vmi } = await withData('large');
      await claim('to', { mib: 8 });
      await changeClaim('large', 'to');
      await specs().until(async () =>
        expect((await specs().vmi('large')).status?.migrationState).toMatchObject({
          failed: true,
          failureReason: expect.stringContaining(
            'Volume migration cannot be performed because the destination volume is smaller than the source volume: ' +
              'volume data has 16777216 bytes, and claim to 8388608',
          ),
        }),
      );
      await changeClaim('large', 'from');
      const stayed = await specs().until(async () => {
        const now = await specs().vmi('large');
        expect(claimOf(now)).toBe('from');
        expect(now.status?.migratedVolumes ?? []).toEqual([]);
        return now;
      });
      expect(stayed.status).toMatchObject({ phase: 'Running', nodeName: vmi.status?.nodeName });
    });

    it('needs somebody to say which claim counts if its guest ends while it moves', async () => {
      const { vmi } = await withData('ended');
      await claim('to');
      await slowly();
      await changeClaim('ended', 'to');
      await moving('ended');
      await virsh(vmi, 'destroy', `${specs().namespace}_ended`);
      await specs().until(async () => {
        const { status } = await vm('ended');
        expect(status?.conditions?.find(({ type }) => type === 'ManualRecoveryRequired')).toMatchObject({
          status: 'True',
          reason: 'VMI was removed or was final during the volume migration',
        });
      });
      await specs().configure({ migrations: null });
      await changeClaim('ended', 'from');
      const again = await specs().until(async () => {
        const now = await specs().vmi('ended');
        expect(now.metadata.uid).not.toBe(vmi.metadata.uid);
        expect(now.status?.phase).toBe('Running');
        return now;
      });
      expect(claimOf(again)).toBe('from');
      expect(conditionOf(await vm('ended'), 'ManualRecoveryRequired')).toBeUndefined();
    });
  });

  describe('a disk that was plugged in while the guest ran', () => {
    it('goes with its guest and back, and can be unplugged where that has come to', async () => {
      await claim('extra', { storageClass: SHARED });
      await createVm(guests, linux('plugged', { memory: '192Mi', spec: { affinity: prefer(FIRST) } }));
      const vmi = await specs().running('plugged');
      await untilAgent(guests, 'plugged');
      expect(await specs().vireo('addvolume plugged --volume-name=extra --serial=extra')).not.toContain('exit code');
      const plugged = (by: unknown = expect.any(String)) =>
        specs().until(async () => {
          const { status } = await specs().vmi('plugged');
          const found = status?.volumeStatus?.find(({ name }) => name === 'extra');
          expect(found).toMatchObject({ phase: 'Ready', hotplugVolume: { attachPodUID: by } });
          return found?.hotplugVolume?.attachPodUID;
        });
      const device = 'grep -l extra /sys/block/sd*/device/vpd_pg80 | cut -d/ -f4';
      const sums = (): Promise<string> =>
        specs().until(async () => {
          const text = await inGuest(vmi, `echo 3 >/proc/sys/vm/drop_caches; md5sum </dev/$(${device})`);
          expect(text).toMatch(/^[0-9a-f]{32}/);
          return text;
        });
      const first = await plugged();
      await inGuest(vmi, `dd if=/dev/urandom of=/dev/$(${device}) bs=1M count=16; sync`);
      let written = await sums();
      for (const node of [SECOND, FIRST]) {
        const mm = await specs().migrated(vmi);
        const moved = await specs().confirmMigrated(vmi, mm);
        expect(moved.status?.nodeName).toBe(node);
        const pod = moved.status?.migrationState?.targetAttachmentPodUID;
        expect(pod).toBeTruthy();
        expect(pod).not.toBe(first);
        // Its node says so as soon as it looks.
        await plugged(pod);
        expect(await sums()).toBe(written);
        await inGuest(vmi, `dd if=/dev/urandom of=/dev/$(${device}) bs=1M count=16; sync`);
        written = await sums();
        expect(written).toContain(
          createHash('md5')
            .update(await readFile(await diskOf('extra')))
            .digest('hex'),
        );
      }
      // A slow one says how far it is.
      await specs().configure({ migrations: { bandwidthPerMigration: '8Mi' } });
      expect(await specs().vireo('migrate plugged --wait')).toMatch(/\n {2}Running\n( {2}\d+% of \d+ MiB\n)+/);
      expect(await specs().vireo('removevolume plugged --volume-name=extra')).not.toContain('exit code');
      await specs().until(async () => {
        const { status } = await specs().vmi('plugged');
        expect(status?.volumeStatus?.map(({ name }) => name)).not.toContain('extra');
        expect(await virsh(vmi, 'domblklist', `${specs().namespace}_plugged`)).not.toContain('disk.img');
      });
    });
  });
}
