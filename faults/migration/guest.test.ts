import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QemuGuest } from '@vireo/node/guestImage/testing/qemu.ts';
import { afterAll, expect, it } from 'vitest';
import { DAMAGED, SECTORS, WRITER } from './guest.ts';

const directory = mkdtempSync(join(tmpdir(), 'vireo-writer-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('the guest counts on its disk, and notices a sector that is not as it has written it', async () => {
  const path = join(directory, 'disk');
  writeFileSync(path, WRITER);
  await using guest = new QemuGuest(['-drive', `file=${path},format=raw,if=virtio,cache=none`]);
  await guest.expect(`${(SECTORS + 8).toString(16).padStart(8, '0')}\n`);
  expect(guest.output).not.toContain(DAMAGED);
  const disk = await open(path, 'r+');
  const sector = Buffer.alloc(512);
  await disk.read(sector, 0, 512, 512 * 9);
  expect(sector.readUInt32LE(508)).toBe(SECTORS + 8);
  // One bit of the sector whose turn comes last.
  const last = 512 * 8 + 511;
  const { buffer } = await disk.read(Buffer.alloc(1), 0, 1, last);
  await disk.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, last);
  await disk.close();
  await guest.expect(DAMAGED);
});
