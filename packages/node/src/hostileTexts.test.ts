import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { ConversionError, type ConverterContext, convertDomain } from '@vireo/hypervisor';
import type { Libvirt } from '@vireo/libvirt';
import { TestLibvirtd } from '@vireo/libvirt/testing/libvirtd.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { UID, vmiIn } from './testing/objects.ts';

/** For XML, for shells, for paths, for QEMU's options, and what people call their things. */
const HOSTILE = `<a b="c">&amp;'"]]> $(id) \`id\` ; ../../etc/passwd,type=1,,x=% é 漢字 🦜`;
const LINES = `${HOSTILE}\n\t<second line>`;

let daemon: TestLibvirtd;
let libvirt: Libvirt;
let context: ConverterContext;

beforeAll(async () => {
  daemon = await TestLibvirtd.start();
  libvirt = await daemon.connect();
  context = {
    hypervisor: 'kvm',
    architecture: 'amd64',
    useEmulation: true,
    domainUuid: UID,
    volumes: {},
    interfaces: { default: { kind: 'user', mac: '02:00:00:00:00:01' } },
    paths: { serialSocket: `${daemon.directory}/serial`, vncSocket: `${daemon.directory}/vnc` },
  };
});
afterAll(async () => {
  await libvirt?.close();
  await daemon?.stop();
});

type Spec = VirtualMachineInstance['spec'];
const hostile = (name: string, domain: Partial<Spec['domain']>): VirtualMachineInstance =>
  vmiIn('Scheduled', { name }, { domain: { memory: { guest: '32Mi' }, devices: {}, ...domain } });

/** What an XML parser that is not ours finds there. */
function textAt(xml: string, path: string): string {
  const { stdout, status, stderr } = spawnSync('xmllint', ['--xpath', `string(${path})`, '-'], {
    input: xml,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  // It ends what it prints with a line end.
  return stdout.slice(0, -1);
}

/** Defines the domain for real, and gives libvirt's own description of it. */
async function defined(vmi: VirtualMachineInstance, changes: Partial<ConverterContext> = {}): Promise<string> {
  const ref = await libvirt.defineDomain(convertDomain(vmi, { ...context, ...changes }));
  const xml = await libvirt.domainXml(ref);
  await libvirt.undefineDomain(ref);
  return xml;
}

it('texts come back from libvirt as they were given', async () => {
  const chassis = { manufacturer: HOSTILE, version: HOSTILE, serial: HOSTILE, asset: HOSTILE, sku: HOSTILE };
  const kernelBoot = { container: { image: 'x', kernelPath: '/k' }, kernelArgs: LINES };
  const vmi = hostile(`${HOSTILE.replaceAll('/', '')}`, { chassis, firmware: { serial: HOSTILE, kernelBoot } });
  const xml = await defined(vmi, { kernelBoot: { kernel: `/boot/${HOSTILE}` } });
  expect(textAt(xml, '/domain/name')).toBe(`shop_${vmi.metadata.name}`);
  for (const entry of Object.keys(chassis))
    expect(textAt(xml, `/domain/sysinfo/chassis/entry[@name="${entry}"]`), entry).toBe(HOSTILE);
  expect(textAt(xml, '/domain/sysinfo/system/entry[@name="serial"]')).toBe(HOSTILE);
  expect(textAt(xml, '/domain/os/kernel')).toBe(`/boot/${HOSTILE}`);
  expect(textAt(xml, '/domain/os/cmdline')).toBe(LINES);
  expect(textAt(xml, 'count(/domain/devices/*[local-name()="a"])')).toBe('0');
});

it('paths and names of devices do, too', async () => {
  const path = `${daemon.directory}/${HOSTILE.replaceAll('/', '')}`;
  const disks = [{ name: 'root', disk: { bus: 'virtio' }, serial: 'SER-1_2.3' }];
  const volumes = { root: { kind: 'file', path, format: 'raw', directIo: false } } as const;
  const xml = await defined(hostile('web', { devices: { disks } }), { volumes });
  expect(textAt(xml, '/domain/devices/disk/source/@file')).toBe(path);
  expect(textAt(xml, '/domain/devices/disk/serial')).toBe('SER-1_2.3');
  expect(textAt(xml, '/domain/devices/disk/alias/@name')).toBe('ua-root');
});

it('QEMU gets them as values, and starts', async () => {
  const name = `started-${process.pid}`;
  const vmi = hostile(name, { chassis: { manufacturer: HOSTILE }, firmware: { serial: HOSTILE } });
  const ref = await libvirt.defineDomain(convertDomain(vmi, context));
  await libvirt.startDomain(ref);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  const args = lines.find((line) => /^[^\0]*qemu/.test(line) && line.includes(`guest=shop_${name},`))?.split('\0');
  await libvirt.destroyDomain(ref);
  await libvirt.undefineDomain(ref);
  expect(args).toContain(`type=3,manufacturer=${HOSTILE.replaceAll(',', ',,')}`);
});

type Card = NonNullable<Spec['domain']['devices']['interfaces']>[number];
const card = (changes: Partial<Card>): Partial<Spec['domain']> => ({
  devices: { interfaces: [{ name: 'default', masquerade: {}, ...changes }] },
});
const disk = (changes: object): Partial<Spec['domain']> => ({
  devices: { disks: [{ name: 'root', disk: { bus: 'virtio' }, ...changes }] },
});

it.each<[string, Partial<Spec['domain']>]>([
  ['macAddress', card({ macAddress: HOSTILE })],
  ['model', card({ model: HOSTILE })],
  ['pciAddress', card({ pciAddress: HOSTILE })],
  ['bus', disk({ disk: { bus: HOSTILE } })],
  ['cache', disk({ cache: HOSTILE })],
  ['io', disk({ io: HOSTILE })],
  ['uuid', { firmware: { uuid: HOSTILE } }],
  ['machine.type', { machine: { type: HOSTILE } }],
  ['inputs', { devices: { inputs: [{ name: 'tablet', type: HOSTILE, bus: 'usb' }] } }],
])('%s is no text, and refused by name', (field, domain) => {
  const volumes = { root: { kind: 'file', path: '/disk', format: 'raw', directIo: false } } as const;
  const convert = (): string => convertDomain(hostile('web', domain), { ...context, volumes });
  expect(convert).toThrow(ConversionError);
  expect(convert).toThrow(field);
});

it.each(['\0', '\x1b', '\ud800'])('what no XML can carry is refused: %j', (character) => {
  const vmi = hostile('web', { firmware: { serial: `a${character}b` } });
  expect(() => convertDomain(vmi, context)).toThrow(/XML does not allow|serial/);
});
