import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QemuGuest } from '@vireo/node/guestImage/testing/qemu.ts';
import { afterAll, expect, it } from 'vitest';
import { DAMAGED, SECTORS, WRITER } from './guest.ts';

const directory = mkdtempSync(join(tmpdir(), 'vireo-writer-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it.each([
  ['first', 0],
  ['second', 1],
])(
  'the guest counts on its disks, and notices a sector of the %s that is not as it has written it',
  async (_, damaged) => {
    const paths = [0, 1].map((index) => join(directory, `disk-${damaged}-${index}`));
    for (const [index, path] of paths.entries()) writeFileSync(path, index === 0 ? WRITER : Buffer.alloc(64 * 512));
    const drives = paths.flatMap((path) => ['-drive', `file=${path},format=raw,if=virtio,cache=none`]);
    await using guest = new QemuGuest(drives);
    await guest.expect(`${(SECTORS + 9).toString(16).padStart(8, '0')}\n`);
    expect(guest.output).not.toContain(DAMAGED);
    const disks = await Promise.all(paths.map((path) => open(path, 'r+')));
    for (const [index, disk] of disks.entries()) {
      const sector = Buffer.alloc(512);
      await disk.read(sector, 0, 512, 512 * (9 + index));
      expect(sector.readUInt32LE(508)).toBe(SECTORS + 8 + index);
    }
    // One bit of a sector whose turn comes late.
    const late = 512 * (7 + damaged) + 511;
    const { buffer } = (await disks[damaged]?.read(Buffer.alloc(1), 0, 1, late)) ?? {};
    await disks[damaged]?.write(Buffer.from([(buffer?.[0] ?? 0) ^ 1]), 0, 1, late);
    for (const disk of disks) await disk.close();
    await guest.expect(DAMAGED);
  },
);
