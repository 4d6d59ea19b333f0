import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { expect, it } from 'vitest';
import { domainSchemaErrors } from '../testing/domainSchema.ts';
import { onNode, vmiWith } from '../testing/fixtures.ts';
import { convertDomain } from './convertDomain.ts';

type Domain = Partial<VirtualMachineInstanceSpec['domain']>;
type Case = readonly [field: string, value: string, domain: Domain, expectedXml: string];

const each = (
  field: string,
  values: readonly string[],
  domain: (value: string) => Domain,
  expectedXml: (value: string) => string,
) => values.map((value): Case => [field, value, domain(value), expectedXml(value)]);
const disk = (changes: object): Domain => ({
  devices: { disks: [{ name: 'root', disk: { bus: 'virtio' }, ...changes }] },
});
const card = (changes: object): Domain => ({ devices: { interfaces: [{ name: 'default', ...changes }] } });

/** Every value of the fields that take one of a few, as libvirt's schema wants to read it. */
const cases: Case[] = [
  ...each(
    'disk.bus',
    ['virtio', 'scsi', 'sata', 'usb'],
    (bus) => disk({ disk: { bus } }),
    (bus) => `bus="${bus}"`,
  ),
  ...each(
    'cdrom.bus',
    ['scsi', 'sata'],
    (bus) => disk({ disk: undefined, cdrom: { bus } }),
    () => 'device="cdrom"',
  ),
  ...each(
    'lun.bus',
    ['scsi'],
    (bus) => ({ devices: { disks: [{ name: 'data', lun: { bus } }] } }),
    () => 'device="lun"',
  ),
  ...each(
    'cache',
    ['none', 'writethrough', 'writeback'],
    (cache) => disk({ cache }),
    (cache) => `cache="${cache}"`,
  ),
  ...each(
    'io',
    ['native', 'threads'],
    (io) => disk({ io, cache: 'none' }),
    (io) => `io="${io}"`,
  ),
  ...each(
    'errorPolicy',
    ['stop', 'ignore', 'report', 'enospace'],
    (errorPolicy) => disk({ errorPolicy }),
    (value) => `error_policy="${value}"`,
  ),
  ...each(
    'bootOrder',
    ['1', '7'],
    (order) => disk({ bootOrder: Number(order) }),
    (order) => `<boot order="${order}"/>`,
  ),
  ...each(
    'interface.model',
    ['e1000', 'e1000e', 'ne2k_pci', 'pcnet', 'rtl8139'],
    (model) => card({ model }),
    (model) => `<model type="${model}"/>`,
  ),
  ...each(
    'interface.state',
    ['down'],
    (state) => card({ state }),
    () => '<link state="down"/>',
  ),
  ...each(
    'cpu.model',
    ['host-model', 'host-passthrough'],
    (model) => ({ cpu: { model } }),
    (mode) => `<cpu mode="${mode}"`,
  ),
  ...each(
    'cpu.model',
    ['Haswell-noTSX', 'EPYC-Rome'],
    (model) => ({ cpu: { model } }),
    (model) => `>${model}</model>`,
  ),
  ...each(
    'cpu.features.policy',
    ['force', 'require', 'optional', 'disable', 'forbid'],
    (policy) => ({ cpu: { features: [{ name: 'vmx', policy }] } }),
    (policy) => `<feature policy="${policy}" name="vmx"/>`,
  ),
  ...each(
    'hugepages',
    ['2Mi', '1Gi'],
    (pageSize) => ({ memory: { guest: '1Gi', hugepages: { pageSize } } }),
    (size) => `<page size="${size === '2Mi' ? 2048 : 1048576}" unit="KiB"/>`,
  ),
  ...each(
    'video',
    ['vga', 'cirrus', 'virtio', 'ramfb', 'bochs'],
    (type) => ({ devices: { video: { type } } }),
    (type) => `<model type="${type}"`,
  ),
  ...each(
    'sound',
    ['ich9', 'ac97'],
    (model) => ({ devices: { sound: { name: 'audio', model } } }),
    (model) => `<sound model="${model}">`,
  ),
  ...each(
    'input.bus',
    ['usb', 'virtio'],
    (bus) => ({ devices: { inputs: [{ name: 'pen', type: 'tablet', bus }] } }),
    (bus) => `<input type="tablet" bus="${bus}"`,
  ),
  ...each(
    'watchdog',
    ['poweroff', 'reset', 'shutdown'],
    (action) => ({ devices: { watchdog: { name: 'dog', i6300esb: { action } } } }),
    (action) => `action="${action}"`,
  ),
  ...each(
    'panic',
    ['isa', 'hyperv'],
    (model) => ({ devices: { panicDevices: [{ model }] } }),
    (model) => `<panic model="${model}"/>`,
  ),
  ...each(
    'pit',
    ['delay', 'catchup', 'discard'],
    (tickPolicy) => ({ clock: { utc: {}, timer: { pit: { tickPolicy } } } }),
    (policy) => `tickpolicy="${policy}"`,
  ),
  ...each(
    'rtc',
    ['delay', 'catchup'],
    (tickPolicy) => ({ clock: { utc: {}, timer: { rtc: { tickPolicy } } } }),
    (policy) => `tickpolicy="${policy}"`,
  ),
];

it.each(cases)('%s: %s', (_field, _value, domain, expectedXml) => {
  const xml = convertDomain(vmiWith(domain), onNode());
  expect(xml).toContain(expectedXml);
  expect(domainSchemaErrors(xml)).toBe('');
});
