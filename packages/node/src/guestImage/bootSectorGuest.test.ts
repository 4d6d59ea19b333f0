import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  bootSectorDisk,
  bootSectorFarewell,
  bootSectorGuest,
  bootSectorIso,
  bootSectorMarker,
} from './bootSectorGuest.ts';
import { QemuGuest } from './testing/qemu.ts';

const directory = mkdtempSync(join(tmpdir(), 'vireo-boot-sector-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the boot-sector guest', () => {
  it('is one bootable sector', () => {
    expect(bootSectorGuest()).toHaveLength(512);
    expect(bootSectorGuest().readUInt16BE(510)).toBe(0x55aa);
    expect(bootSectorDisk()).toHaveLength(1 << 20);
  });

  it.each([
    ['disk', bootSectorDisk(), ['-drive', `file=${directory}/disk,format=raw,if=virtio`]],
    ['CD-ROM', bootSectorIso(), ['-cdrom', `${directory}/CD-ROM`]],
  ])('runs from a %s: says so, echoes, and goes when the power button is pressed', async (name, content, args) => {
    writeFileSync(join(directory, name), content);
    await using guest = new QemuGuest(args);
    await guest.expect(bootSectorMarker);
    guest.type('hello');
    await guest.expect('hello');
    await guest.pressPowerButton();
    await guest.expect(bootSectorFarewell);
    await guest.ended();
  });
});
