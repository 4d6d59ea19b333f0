import { parseXml, select } from '@vireo/hypervisor/xml.ts';
import { expect, it } from 'vitest';
import { withDiskSizes, writableDisks } from './domainDisks.ts';

const xml = `<domain><devices>
  <disk device="disk"><source file="/m/a"/><target dev="vda"/><alias name="ua-root"/></disk>
  <disk device="disk"><source file="/m/c"/><target dev="vdc"/><readonly/><alias name="ua-read"/></disk>
  <disk device="cdrom"><source file="/m/d"/><target dev="sda"/><alias name="ua-disc"/></disk>
  <disk device="disk"><source dev="/dev/x"/><target dev="vdd"/><alias name="ua-block"/></disk>
</devices></domain>`;

it('the disks that a guest writes to are neither read-only nor discs', () => {
  expect(writableDisks(xml)).toEqual([
    { target: 'vda', volume: 'root', path: '/m/a' },
    { target: 'vdd', volume: 'block', path: '/dev/x' },
  ]);
});

it('a disk on a volume that is larger than it has the first bytes of the volume', () => {
  const sized = withDiskSizes(xml, new Map([['root', 1024]]));
  expect(select(parseXml(sized), 'devices/disk/source/slices/slice').map(({ attributes }) => attributes)).toEqual([
    { type: 'storage', offset: '0', size: '1024' },
  ]);
  expect(writableDisks(sized)[0]).toEqual({ target: 'vda', volume: 'root', path: '/m/a', bytes: 1024 });
});
