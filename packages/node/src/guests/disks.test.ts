import { chown, link, lstat, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '@vireo/api/kinds/kubevirt/disk.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NodeContext } from '../context.ts';
import { UID, vmiIn } from '../testing/objects.ts';
import { grantDisk, handOverDisks } from './disks.ts';
import type { Grant } from './grants.ts';

const FIRST = 1_966_000_000;
const GUEST = { uid: FIRST + 1, gid: FIRST };

describe.skipIf(process.getuid?.() !== 0)('the right to a disk elsewhere', () => {
  let directory: string;
  let granted: Grant[];
  let passed: string[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vireo-guest-disks-'));
    granted = [];
    passed = [];
  });
  afterEach(() => rm(directory, { recursive: true }));

  const context = {
    layout: { volumes: '/home/volumes' },
    volumes: { isShared: () => false },
    users: {
      common: { uid: FIRST, gid: FIRST },
      of: (uid: string) => (uid === UID ? GUEST : undefined),
      grant: async (_: string, grant: Grant) => void granted.push(grant),
      openWay: async (path: string) => void passed.push(path),
    },
  } as unknown as NodeContext;
  const grant = async (disk: Omit<Disk, 'name'>, owner = 4321): Promise<Grant | undefined> => {
    const path = join(directory, 'disk.img');
    await writeFile(path, '', { mode: 0o640 });
    await chown(path, owner, 0);
    const vmi = vmiIn('Scheduled', {}, { domain: { devices: { disks: [{ name: 'data', ...disk }] } } });
    await grantDisk(vmi, 'data', { kind: 'file', path, format: 'raw', directIo: false }, context);
    return granted.pop();
  };

  it.each<[string, Omit<Disk, 'name'>]>([
    ['a CD-ROM', { cdrom: { bus: 'sata' } }],
    ['a disk that is read-only', { disk: { bus: 'virtio', readonly: true } }],
  ])('is to read %s', async (_, disk) => expect(await grant(disk)).toMatchObject({ access: 'read' }));

  it('is noted with whose the file was, which a guest may have for now', async () => {
    const disk = { disk: { bus: 'virtio' } };
    expect(await grant(disk)).toMatchObject({ access: 'write', former: { uid: 4321, mode: 0o640 } });
    // Another guest, who has it on a file system without lists and may be gone when this one is.
    expect(await grant(disk, FIRST + 7)).toMatchObject({ former: { uid: 0 } });
    // This one: what was noted stays.
    expect(await grant(disk, GUEST.uid)).toBeUndefined();
  });

  it('is to read what a disk lies on, which stays as it is; only images of ours are opened to all', async () => {
    const machine = join(directory, 'machine');
    await mkdir(machine);
    const [overlay, ours, theirs, chosen] = ['machine/root.qcow2', 'ours', 'theirs', 'chosen'].map((name) =>
      join(directory, name),
    ) as [string, string, string, string];
    for (const each of [overlay, ours, theirs]) await writeFile(each, '', { mode: 0o600 });
    await symlink(theirs, chosen);
    const base = join(machine, 'root.base');
    await link(ours, base);
    const disk = { kind: 'file', path: overlay, format: 'qcow2', directIo: false } as const;
    const disks = { root: { ...disk, backing: [base, chosen, theirs] } };
    await handOverDisks(vmiIn('Scheduled'), disks, { directory: machine, user: GUEST }, context);
    // It stays with the machine, whatever is unplugged.
    expect(granted).toEqual([{ path: theirs, access: 'read' }]);
    expect(passed).toEqual([chosen]);
    expect([(await stat(theirs)).mode & 0o777, (await stat(ours)).mode & 0o777]).toEqual([0o600, 0o644]);
    expect((await lstat(overlay)).uid).toBe(GUEST.uid);
  });
});
