import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disk } from '@vireo/api/kinds/kubevirt/disk.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NodeContext } from '../context.ts';
import { UID, vmiIn } from '../testing/objects.ts';
import { grantDisk } from './disks.ts';
import type { Grant } from './grants.ts';

const FIRST = 1_966_000_000;
const GUEST = { uid: FIRST + 1, gid: FIRST };

describe.skipIf(process.getuid?.() !== 0)('the right to a disk elsewhere', () => {
  let directory: string;
  let granted: Grant[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vireo-guest-disks-'));
    granted = [];
  });
  afterEach(() => rm(directory, { recursive: true }));

  const context = {
    layout: { volumes: '/home/volumes' },
    users: {
      common: { uid: FIRST, gid: FIRST },
      of: (uid: string) => (uid === UID ? GUEST : undefined),
      grant: async (_: string, grant: Grant) => void granted.push(grant),
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
});
