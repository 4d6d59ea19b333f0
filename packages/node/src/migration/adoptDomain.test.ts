import { parseXml, select } from '@vireo/hypervisor/xml.ts';
import { describe, expect, it } from 'vitest';
import { adoptDomain } from './adoptDomain.ts';

const domain = (devices: string, more = '', machine = 'q35'): string => `
<domain type="qemu" xmlns:qemu="http://libvirt.org/schemas/domain/qemu/1.0">
  <name>shop_web</name><uuid>1f6d3c0e-0000-4000-8000-000000000001</uuid>
  <memory unit="KiB">65536</memory>
  <os><type machine="${machine}">hvm</type></os>
  <devices>${devices}</devices>
  ${more}
</domain>`;

const own = domain(
  `<disk type="file" device="disk"><driver name="qemu" type="qcow2"/><source file="/here/root.qcow2"/><target dev="vda" bus="virtio"/><alias name="ua-root"/></disk>
   <disk type="file" device="cdrom"><source file="/here/disc.iso"/><target dev="sda" bus="sata"/><readonly/><alias name="ua-disc"/></disk>
   <interface type="ethernet"><target dev="vtHERE" managed="no"/><mac address="02:00:00:00:00:01"/><mtu size="1420"/><alias name="ua-default"/></interface>
   <serial type="unix"><source mode="bind" path="/here/serial"/><target port="0"/></serial>`,
  '<seclabel type="static" model="dac" relabel="no"><label>+5:+1</label></seclabel>',
);

const theirDisk =
  '<disk type="file" device="disk"><source file="/there/root.qcow2"/><target dev="vdb" bus="virtio"/><alias name="ua-root"/><address type="pci" slot="0x07"/></disk>';

const adopt = (devices: string, more = ''): ReturnType<typeof parseXml> =>
  parseXml(adoptDomain(own, domain(devices, more, 'pc-q35-7.2')));

describe('the domain of a guest that comes', () => {
  it('has the places that the guest knows, and the files of this node', () => {
    const found = adopt(
      `<controller type="pci" index="3" model="pcie-root-port"/>${theirDisk}
       <interface type="ethernet"><target dev="vtTHERE"/><mac address="02:00:00:00:00:01"/><mtu size="1450"/><alias name="ua-default"/><address type="pci" slot="0x09"/></interface>
       <serial type="unix"><source mode="bind" path="/there/serial"/><target port="0"/></serial>
       <console type="unix"><source mode="bind" path="/there/serial"/><target type="serial" port="0"/></console>
       <memballoon model="virtio"><address type="pci" slot="0x0a"/></memballoon>`,
      '<seclabel type="static" model="dac"><label>+0:+0</label></seclabel><qemu:commandline><qemu:arg value="-evil"/></qemu:commandline>',
    );
    const text = JSON.stringify(found);
    expect(text).not.toMatch(/there|THERE|\+0:|evil/);
    const [disk] = select(found, 'devices/disk');
    expect(select(disk!, 'source')[0]?.attributes.file).toBe('/here/root.qcow2');
    expect(select(disk!, 'target')[0]?.attributes.dev).toBe('vdb');
    expect(select(disk!, 'address')[0]?.attributes.slot).toBe('0x07');
    const [card] = select(found, 'devices/interface');
    expect(select(card!, 'target')[0]?.attributes.dev).toBe('vtHERE');
    expect(select(card!, 'mtu')[0]?.attributes.size).toBe('1450');
    expect(select(found, 'os/type')[0]?.attributes.machine).toBe('pc-q35-7.2');
    expect(select(found, 'devices/controller')).toHaveLength(1);
    expect(select(found, 'devices/memballoon')).toHaveLength(1);
  });

  it('has the CPUs that this node gives it, and its huge pages', () => {
    const pinned = (cpus: string): string =>
      `<cputune><vcpupin vcpu="0" cpuset="${cpus}"/></cputune><memoryBacking><hugepages><page size="2048"/></hugepages></memoryBacking>`;
    const found = parseXml(adoptDomain(domain('', pinned('3')), domain('', pinned('5'), 'pc-q35-7.2')));
    expect(select(found, 'cputune/vcpupin').map(({ attributes }) => attributes.cpuset)).toEqual(['3']);
    expect(select(found, 'memoryBacking/hugepages/page')).toHaveLength(1);
  });

  it('has the UEFI firmware and the variables of this node, as the guest knows them', () => {
    const uefi = (os: string): string => domain('').replace(/<os>.*<\/os>/, os);
    const ours = uefi(
      '<os firmware="efi"><type machine="q35">hvm</type><firmware><feature enabled="yes" name="secure-boot"/></firmware><nvram>/here/vars.fd</nvram></os>',
    );
    const theirs = uefi(
      '<os><type machine="pc-q35-7.2">hvm</type><loader readonly="yes" secure="yes" type="pflash">/there/code.fd</loader><nvram template="/there/template.fd">/there/vars.fd</nvram></os>',
    );
    const [os] = select(parseXml(adoptDomain(ours, theirs, '/here/code.fd')), 'os');
    expect(os).toEqual({
      name: 'os',
      attributes: {},
      children: [
        { name: 'type', attributes: { machine: 'pc-q35-7.2' }, children: ['hvm'] },
        { name: 'nvram', attributes: {}, children: ['/here/vars.fd'] },
        {
          name: 'loader',
          attributes: { readonly: 'yes', type: 'pflash', secure: 'yes' },
          children: ['/here/code.fd'],
        },
      ],
    });
    expect(() => adoptDomain(ours, theirs)).toThrow('this node has no UEFI firmware');
  });

  it('has no disk that the guest does not have yet, and an empty drive where it is empty', () => {
    const empty =
      '<disk type="file" device="cdrom"><target dev="sda" bus="sata"/><readonly/><alias name="ua-disc"/></disk>';
    const found = adopt(`${theirDisk}${empty}`);
    const disks = select(found, 'devices/disk');
    expect(disks).toHaveLength(2);
    expect(select(disks[1]!, 'source')).toEqual([]);
    expect(select(adopt(theirDisk), 'devices/disk')).toHaveLength(1);
  });

  it('has as much of a disk as the guest knows of', () => {
    const slices = '<slices><slice type="storage" offset="0" size="4096"/></slices>';
    const found = adopt(theirDisk.replace('root.qcow2"/>', `root.qcow2">${slices}</source>`));
    const [slice] = select(found, 'devices/disk/source/slices/slice');
    expect(slice?.attributes).toEqual({ type: 'storage', offset: '0', size: '4096' });
    expect(select(found, 'devices/disk/source')[0]?.attributes.file).toBe('/here/root.qcow2');
    const evil = slices.replace('4096', '../../etc');
    expect(JSON.stringify(adopt(theirDisk.replace('root.qcow2"/>', `root.qcow2">${evil}</source>`)))).not.toMatch(
      /etc/,
    );
  });

  it.each([
    ['another guest', own.replace('shop_web', 'shop_db'), 'has the name shop_db instead of shop_web'],
    ['a disk that is not here', domain(theirDisk.replace('ua-root', 'ua-more')), 'nothing for <disk> ua-more'],
    ['a device of the host', domain('<hostdev mode="subsystem"/>'), 'a device <hostdev>'],
    ['a directory of the host', domain('<filesystem type="mount"/>'), 'a device <filesystem>'],
    [
      'an input of the host',
      domain('<input type="evdev"><source dev="/dev/input/event0"/></input>'),
      '<input> has a source',
    ],
    ['sound into a file', domain('<audio id="1" type="file" path="/etc/x"/>'), '<audio> has a path'],
  ])('is refused for %s', (_, theirs, message) => {
    expect(() => adoptDomain(own, theirs)).toThrow(message);
  });
});
