import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Persisted, type PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locate } from './claimDisk.ts';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from './testing/cluster.ts';

let cluster: VolumeCluster;
beforeAll(async () => {
  cluster = await startVolumeCluster();
});
afterAll(() => cluster?.close());

const WRITES = { isReadOnly: false, isShareable: false };

/** A VMI as admission would have left it. */
const createVmi = (name: string, claim: string, readOnly = false): Promise<Vmi> =>
  cluster.admin.of(Vmi).create({
    metadata: { name, namespace: NAMESPACE },
    spec: {
      domain: { devices: { disks: [{ name: 'data', disk: { bus: 'virtio' } }] } },
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim, readOnly } }],
    },
  });

describe('the disk of a claim', () => {
  it('is had when the claim has a volume, and the VMI is woken for it', async () => {
    const vmi = await createVmi('early', 'late');
    await expect(cluster.volumes.claimDisk(vmi, 'late', WRITES)).rejects.toThrow(
      'PersistentVolumeClaim shop/late does not exist',
    );
    await cluster.claim('late', { storageClassName: 'local-wait' });
    await until(() =>
      cluster.volumes.claimDisk(vmi, 'late', WRITES).then(
        () => undefined,
        ({ message }: Error) => /is not bound yet/.test(message) || undefined,
      ),
    );
    const chosen = { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'node-1' } } };
    await cluster.admin.of(PersistentVolumeClaim).patch('late', chosen, { namespace: NAMESPACE, type: 'merge' });
    const volume = await cluster.volumeOf('late');
    const disk = await until(() => cluster.volumes.claimDisk(vmi, 'late', WRITES).catch(() => undefined));
    expect(disk).toMatchObject({ kind: 'file', format: 'raw', path: join(volume.spec?.local?.path ?? '', 'disk.img') });
    expect(cluster.woken).toContain('shop/early');
  });

  it('has one writer, and as many readers as like', async () => {
    await cluster.claim('shared');
    await cluster.volumeOf('shared');
    const first = await createVmi('first', 'shared');
    const second = await createVmi('second', 'shared');
    await until(() => cluster.volumes.claimDisk(first, 'shared', WRITES).catch(() => undefined));
    // A second look of the same VM changes nothing.
    await cluster.volumes.claimDisk(first, 'shared', WRITES);
    await expect(cluster.volumes.claimDisk(second, 'shared', WRITES)).rejects.toThrow(
      'PersistentVolumeClaim shop/shared is in use by VirtualMachineInstance first: only one VM can write to a disk; stop that VM first',
    );
    const reader = { isReadOnly: true, isShareable: false };
    expect(await cluster.volumes.claimDisk(second, 'shared', reader)).toMatchObject({ readOnly: true });
    // The agent forgets; libvirt does not.
    cluster.domains.add(first.metadata.uid);
    await cluster.restart();
    await expect(cluster.volumes.claimDisk(second, 'shared', WRITES)).rejects.toThrow(/in use by .* first/);
    cluster.domains.clear();
    await cluster.admin.of(Vmi).delete('first', { namespace: NAMESPACE });
    await until(() => cluster.volumes.claimDisk(second, 'shared', WRITES).catch(() => undefined));
  });

  it('is not written to while another VM has it in its drive, and not read while another writes: both are named', async () => {
    await cluster.claim('film');
    await cluster.volumeOf('film');
    const reader = { isReadOnly: true, isShareable: false };
    const player = await cluster.admin.of(Vmi).create({
      metadata: { name: 'player', namespace: NAMESPACE },
      spec: {
        domain: { devices: { disks: [{ name: 'cd', cdrom: { bus: 'sata' } }] } },
        volumes: [{ name: 'cd', persistentVolumeClaim: { claimName: 'film' } }],
      },
    });
    const writer = await createVmi('cutter', 'film');
    await until(() => cluster.volumes.claimDisk(player, 'film', reader).catch(() => undefined));
    cluster.domains.add(player.metadata.uid);
    await expect(cluster.volumes.claimDisk(writer, 'film', WRITES)).rejects.toThrow(
      'PersistentVolumeClaim shop/film is in use by VirtualMachineInstance player, which reads it: stop that VM first',
    );
    cluster.domains.clear();
    await cluster.volumes.claimDisk(writer, 'film', WRITES);
    cluster.domains.add(writer.metadata.uid);
    await expect(cluster.volumes.claimDisk(player, 'film', reader)).rejects.toThrow(
      'PersistentVolumeClaim shop/film is in use by VirtualMachineInstance cutter, which writes to it',
    );
    cluster.domains.clear();
  });

  it('that can only be read is shared by VMs whose disks do not say so', async () => {
    await cluster.claim('rom', { accessModes: ['ReadOnlyMany'] });
    await cluster.volumeOf('rom');
    const one = await createVmi('rom-one', 'rom');
    const two = await createVmi('rom-two', 'rom');
    await until(() => cluster.volumes.claimDisk(one, 'rom', WRITES).catch(() => undefined));
    cluster.domains.add(one.metadata.uid);
    expect(await cluster.volumes.claimDisk(two, 'rom', WRITES)).toMatchObject({ readOnly: true });
    cluster.domains.clear();
  });

  it('that has vanished is missed by name', async () => {
    await cluster.claim('vanished');
    const { spec } = await cluster.volumeOf('vanished');
    const vmi = await createVmi('user', 'vanished');
    await until(() => cluster.volumes.claimDisk(vmi, 'vanished', WRITES).catch(() => undefined));
    await rm(join(spec?.local?.path ?? '', 'disk.img'));
    await expect(cluster.volumes.claimDisk(vmi, 'vanished', WRITES)).rejects.toThrow(/no disk at .*disk\.img/);
  });

  it('that is a link is refused: whoever shares the directory could have made it', async () => {
    await cluster.claim('linked');
    const { spec } = await cluster.volumeOf('linked');
    const vmi = await createVmi('linker', 'linked');
    await until(() => cluster.volumes.claimDisk(vmi, 'linked', WRITES).catch(() => undefined));
    const disk = join(spec?.local?.path ?? '', 'disk.img');
    await rm(disk);
    await symlink('/etc/passwd', disk);
    await expect(cluster.volumes.claimDisk(vmi, 'linked', WRITES)).rejects.toThrow(
      /PersistentVolume pvc-.*: .*disk\.img is a symbolic link/,
    );
  });
});

describe('the disk of a volume', () => {
  const volumeAt = (path: string) =>
    ({ metadata: { name: 'theirs' }, spec: { hostPath: { path } } }) as Persisted<PersistentVolume>;

  it('is what its administrator says, and nothing that a guest has put in its place', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'vireo-locate-'));
    try {
      const [volume, secret] = [join(directory, 'volume'), join(directory, 'secret')];
      await mkdir(volume);
      await writeFile(secret, '');
      const disk = join(volume, 'disk.img');
      for (const target of [secret, '/dev/null', join(directory, 'nothing')]) {
        await symlink(target, disk);
        await expect(locate(volumeAt(volume))).rejects.toThrow(
          `PersistentVolume theirs: ${disk} is a symbolic link, which is not followed: let the volume's path lead`,
        );
        await rm(disk);
      }
      await mkdir(disk);
      await expect(locate(volumeAt(volume))).rejects.toThrow(`${disk} is not a regular file`);
      await rm(disk, { recursive: true });
      await writeFile(disk, '');
      expect(await locate(volumeAt(volume))).toEqual({ kind: 'file', path: disk });
      // A link that an administrator made: to a disk, and to a directory with one.
      const chosen = join(directory, 'chosen');
      await symlink(secret, chosen);
      expect(await locate(volumeAt(chosen))).toEqual({ kind: 'file', path: secret });
      await rm(chosen);
      await symlink(volume, chosen);
      expect(await locate(volumeAt(chosen))).toEqual({ kind: 'file', path: join(chosen, 'disk.img') });
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
