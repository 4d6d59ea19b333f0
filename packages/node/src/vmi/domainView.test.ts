import type { DiskSource } from '@vireo/hypervisor';
import { parseXml } from '@vireo/hypervisor/xml.ts';
import { expect, it } from 'vitest';
import { domainView, driveXml, findDevice, interfaceXml, usedStorage } from './domainView.ts';

/** As libvirt writes it, shortened. */
const XML = `<domain type='qemu' id='1'>
  <name>shop_web</name>
  <metadata><vireo:vmi xmlns:vireo="urn:vireo:vmi:1" name="&lt;disk type=&apos;x&apos;>"/></metadata>
  <os>
    <type arch='x86_64' machine='pc-q35-7.2'>hvm</type>
  </os>
  <devices>
    <disk type='file' device='disk' model='virtio-non-transitional'>
      <target dev='vda' bus='virtio'/>
      <alias name='ua-root'/>
    </disk>
    <disk type='file' device='cdrom'>
      <driver name='qemu' type='raw'/>
      <source file='/home/ada &amp; bob/disk.img' index='3'/>
      <target dev='sda' bus='sata'/>
      <alias name='ua-seed'/>
    </disk>
    <disk type='file' device='cdrom'>
      <source index='8'/>
      <target dev='sdb' bus='sata' tray='open'/>
      <alias name='ua-empty'/>
    </disk>
    <interface type='user'>
      <mac address='02:00:00:00:00:01'/>
      <model type='virtio-non-transitional'/>
      <link state='down'/>
      <alias name='ua-default'/>
    </interface>
    <interface type='ethernet'>
      <mac address='02:00:00:00:00:02'/>
      <model type='virtio-non-transitional'/>
      <driver name='vhost' queues='4'/>
      <alias name='ua-second'/>
    </interface>
    <interface type='user'>
      <mac address='02:00:00:00:00:03'/>
      <model type='e1000e'/>
      <alias name='ua-old'/>
    </interface>
    <channel type='unix'>
      <target type='virtio' name='org.qemu.guest_agent.0' state='connected'/>
    </channel>
  </devices>
</domain>`;

it('the view names disks of which the guest has only the first bytes', () => {
  const slices = '<slices><slice type="storage" offset="0" size="1024"/></slices>';
  const disk = (name: string, inside: string) =>
    `<disk type="file"><source file="/m/${name}">${inside}</source><target dev="vda"/><alias name="ua-${name}"/></disk>`;
  const view = domainView(`<domain><devices>${disk('moved', slices)}${disk('whole', '')}</devices></domain>`);
  expect(view.slicedDisks).toEqual({ moved: '/m/moved' });
});

it('the view has what libvirt tells of the devices of a domain', () => {
  expect(domainView(XML)).toEqual({
    machineType: 'pc-q35-7.2',
    diskTargets: { root: 'vda', seed: 'sda', empty: 'sdb' },
    drives: {
      seed: { target: 'sda', isTrayOpen: false, source: '/home/ada & bob/disk.img' },
      empty: { target: 'sdb', isTrayOpen: true, source: undefined },
    },
    interfaces: {
      default: { mac: '02:00:00:00:00:01', linkState: 'down', queueCount: 1 },
      second: { mac: '02:00:00:00:00:02', isDeviceOfNode: true, linkState: 'up', queueCount: 4 },
      old: { mac: '02:00:00:00:00:03', linkState: 'up', queueCount: 0 },
    },
    isAgentConnected: true,
  });
});

it('an agent whose channel is closed is not connected', () => {
  expect(domainView(XML.replace("state='connected'", "state='disconnected'")).isAgentConnected).toBe(false);
});

it('the view of an empty domain is empty', () => {
  expect(domainView('<domain/>')).toEqual({ diskTargets: {}, drives: {}, interfaces: {}, isAgentConnected: false });
});

it('a device is found by its name in the spec, and only among those of its kind', () => {
  expect(findDevice(XML, 'disk', 'seed')?.attributes).toEqual({ type: 'file', device: 'cdrom' });
  expect(findDevice(XML, 'disk', 'default')).toBeUndefined();
  expect(findDevice(XML, 'interface', 'default')?.attributes).toEqual({ type: 'user' });
});

it('an interface is changed in its link only', () => {
  const up =
    "<interface type='user'><mac address='02:00:00:00:00:01'/><link state='up'/><alias name='ua-a'/></interface>";
  expect(parseXml(interfaceXml(parseXml(up), 'down'))).toEqual(
    parseXml(
      "<interface type='user'><mac address='02:00:00:00:00:01'/><alias name='ua-a'/><link state='down'/></interface>",
    ),
  );
});

it('a drive is changed in its medium only, and no path gets out of its attribute', () => {
  const disc = (path: string, kind: DiskSource['kind'] = 'file'): DiskSource =>
    ({ kind, path, format: 'raw', directIo: false }) as DiskSource;
  const rest = "<driver name='qemu' type='raw' cache='none'/><target dev='sda' bus='sata' tray='open'/><readonly/>";
  const full = parseXml(
    `<disk type='file' device='cdrom'><source file='/old' index='4'><privateData/></source><backingStore/>${rest}</disk>`,
  );
  const empty = parseXml(driveXml(full, undefined));
  expect(empty).toEqual(parseXml(`<disk type='file' device='cdrom'>${rest}</disk>`));
  const hostile = "/a'/><evil b='&";
  const filled = parseXml(driveXml(empty, disc(hostile)));
  expect(filled.children.slice(1)).toEqual(empty.children);
  expect(filled.children[0]).toMatchObject({ name: 'source', attributes: { file: hostile } });
  expect(parseXml(driveXml(filled, disc('/dev/x', 'block')))).toEqual(
    parseXml(`<disk type='block' device='cdrom'><source dev='/dev/x'/>${rest}</disk>`),
  );
});

it('the images of a domain are found with what lies below them', () => {
  const xml = `<domain><devices><disk><source file='/top' index='2'/><backingStore type='file' index='1'><source file='/below'/>
    </backingStore><mirror type='block'><source dev='/dev/x' index='7'/></mirror></disk>
    <interface type='direct'><source dev='eth0'/></interface></devices></domain>`;
  const { indexes, paths } = usedStorage(xml);
  expect([...indexes]).toEqual(['2', '1', '7']);
  expect([...paths]).toEqual(['/top', '/below', '/dev/x']);
});
