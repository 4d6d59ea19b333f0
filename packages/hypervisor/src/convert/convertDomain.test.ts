import { afterEach, describe, expect, it } from 'vitest';
import { registerHypervisor } from '../registries.ts';
import { emulated, onNode, UID, vmiWith } from '../testing/fixtures.ts';
import { el, type XmlElement } from '../xml.ts';
import type { ConverterContext } from './context.ts';
import { convertDisk, convertDomain, convertInterface } from './convertDomain.ts';
import { ConversionError } from './error.ts';
import { convertFilesystem } from './filesystems.ts';
import { domainOwner } from './identity.ts';

type Vmi = ReturnType<typeof vmiWith>;

function refusal(vmi: Vmi, context: ConverterContext = onNode()): ConversionError {
  try {
    convertDomain(vmi, context);
  } catch (error) {
    if (error instanceof ConversionError) return error;
    throw error;
  }
  throw new Error('the VMI was converted');
}

const rootDisk = { name: 'root', disk: { bus: 'virtio' } };

describe('what cannot be converted', () => {
  it.each<[field: string, vmi: Vmi]>([
    ['spec.domain.memory.guest', vmiWith({ memory: {} })],
    ['spec.domain.memory.guest', vmiWith({ memory: { guest: '1k' } })],
    ['spec.domain.memory.guest', vmiWith({ memory: { guest: '100Ei' } })],
    ['spec.domain.memory.maxGuest', vmiWith({ memory: { guest: '1Gi', maxGuest: '1073741825' } })],
    ['spec.domain.memory.hugepages.pageSize', vmiWith({ memory: { guest: '1Gi', hugepages: { pageSize: 'big' } } })],
    ['spec.domain.cpu.sockets', vmiWith({ cpu: { sockets: 100_000 } })],
    ['spec.domain.cpu', vmiWith({ cpu: { sockets: 100, cores: 100 } })],
    ['spec.domain.cpu.maxSockets', vmiWith({ cpu: { sockets: 1, maxSockets: 1000 } })],
    ['spec.domain.cpu.model', vmiWith({ cpu: { model: 'x,+vmx' } })],
    ['spec.domain.cpu.features[0].name', vmiWith({ cpu: { features: [{ name: 'vmx,foo=on' }] } })],
    ['spec.domain.cpu.features[0].policy', vmiWith({ cpu: { features: [{ name: 'vmx', policy: 'maybe' }] } })],
    ['spec.domain.cpu.realtime', vmiWith({ cpu: { realtime: {} } })],
    ['spec.domain.cpu.numa.guestMappingPassthrough', vmiWith({ cpu: { numa: { guestMappingPassthrough: {} } } })],
    ['spec.domain.cpu.dedicatedCpuPlacement', vmiWith({ cpu: { cores: 2, dedicatedCpuPlacement: true } })],
    [
      'spec.domain.memory.maxGuest',
      vmiWith({ cpu: { numa: { guestMappingPassthrough: {} } }, memory: { guest: '1Gi', maxGuest: '2Gi' } }),
    ],
    ['spec.domain.machine.type', vmiWith({ machine: { type: 'q35,accel=x' } })],
    ['spec.domain.firmware.uuid', vmiWith({ firmware: { uuid: '-drive file=/etc/shadow' } })],
    ['spec.domain.firmware.bootloader.efi.secureBoot', vmiWith({ firmware: { bootloader: { efi: {} } } })],
    ['spec.domain.firmware.acpi.slicNameRef', vmiWith({ firmware: { acpi: { slicNameRef: 'x' } } })],
    ['spec.domain.firmware.acpi.msdmNameRef', vmiWith({ firmware: { acpi: { msdmNameRef: 'x' } } })],
    [
      'spec.domain.firmware.kernelBoot.container.kernelPath',
      vmiWith({ firmware: { kernelBoot: { container: { image: 'x', kernelPath: '/k' } } } }),
    ],
    ['spec.domain.launchSecurity.sev', vmiWith({ launchSecurity: { sev: {} } })],
    ['spec.domain.clock.timezone', vmiWith({ clock: { timezone: 'Mars; rm' } })],
    ['spec.domain.features.hyperv.tlbflush', vmiWith({ features: { hyperv: { tlbflush: { direct: {} } } } })],
    [
      'spec.domain.features.hyperv.vendorid.vendorid',
      vmiWith({ features: { hyperv: { vendorid: { vendorid: 'a,b' } } } }),
    ],
    ['spec.domain.devices.disks[0].name', vmiWith({ devices: { disks: [{ name: 'lost', disk: { bus: 'virtio' } }] } })],
    ['spec.domain.devices.disks[0].name', vmiWith({ devices: { disks: [{ name: 'a b', cdrom: { bus: 'sata' } }] } })],
    [
      'spec.domain.devices.disks[0].name',
      vmiWith({ devices: { disks: [{ name: 'constructor', disk: { bus: 'virtio' } }] } }),
    ],
    [
      'spec.domain.devices.disks[0].disk.bus',
      vmiWith({ devices: { disks: [{ name: 'root', disk: { bus: 'ide' } }] } }),
    ],
    [
      'spec.domain.devices.disks[0].disk.readonly',
      vmiWith({ devices: { disks: [{ name: 'root', disk: { bus: 'sata', readonly: true } }] } }),
    ],
    [
      'spec.domain.devices.disks[0].cdrom.bus',
      vmiWith({ devices: { disks: [{ name: 'root', cdrom: { bus: 'virtio' } }] } }),
    ],
    ['spec.domain.devices.disks[0].lun', vmiWith({ devices: { disks: [{ name: 'root', lun: { bus: 'scsi' } }] } })],
    ['spec.domain.devices.disks[0].lun.bus', vmiWith({ devices: { disks: [{ name: 'data', lun: { bus: 'sata' } }] } })],
    [
      'spec.domain.devices.disks[0].lun.reservation',
      vmiWith({ devices: { disks: [{ name: 'data', lun: { bus: 'scsi', reservation: true } }] } }),
    ],
    ['spec.domain.devices.disks[0].shareable', vmiWith({ devices: { disks: [{ ...rootDisk, shareable: true }] } })],
    ['spec.domain.devices.disks[0].serial', vmiWith({ devices: { disks: [{ ...rootDisk, serial: 'a,b=c' }] } })],
    [
      'spec.domain.devices.disks[0].cache',
      vmiWith({ devices: { disks: [{ name: 'cloudinit', disk: { bus: 'virtio' }, cache: 'none' }] } }),
    ],
    [
      'spec.domain.devices.disks[0].io',
      vmiWith({ devices: { disks: [{ ...rootDisk, cache: 'writeback', io: 'native' }] } }),
    ],
    [
      'spec.domain.devices.disks[0].blockSize.custom.logical',
      vmiWith({ devices: { disks: [{ ...rootDisk, blockSize: { custom: { logical: 500 } } }] } }),
    ],
    [
      'spec.domain.devices.disks[0].blockSize.custom.discardGranularity',
      vmiWith({ devices: { disks: [{ ...rootDisk, blockSize: { custom: { discardGranularity: 512 } } }] } }),
    ],
    [
      'spec.domain.devices.disks[0].disk.pciAddress',
      vmiWith({ devices: { disks: [{ name: 'root', disk: { bus: 'sata', pciAddress: '0000:01:00.0' } }] } }),
    ],
    [
      'spec.domain.devices.disks[0].disk.pciAddress',
      vmiWith({ devices: { disks: [{ name: 'root', disk: { bus: 'virtio', pciAddress: 'x' } }] } }),
    ],
    ['spec.domain.devices.interfaces[0].name', vmiWith({ devices: { interfaces: [{ name: 'lost' }] } })],
    [
      'spec.domain.devices.interfaces[0].model',
      vmiWith({ devices: { interfaces: [{ name: 'default', model: 'igb' }] } }),
    ],
    [
      'spec.domain.devices.interfaces[0].macAddress',
      vmiWith({ devices: { interfaces: [{ name: 'default', macAddress: '01:00:00:00:00:00' }] } }),
    ],
    [
      'spec.domain.devices.interfaces[0].acpiIndex',
      vmiWith({ devices: { interfaces: [{ name: 'default', acpiIndex: 0.5 }] } }),
    ],
    ['spec.domain.devices.gpus[0].name', vmiWith({ devices: { gpus: [{ name: 'gpu' }] } })],
    ['spec.domain.devices.filesystems[0].name', vmiWith({ devices: { filesystems: [{ name: 'fs', virtiofs: {} }] } })],
    ['spec.domain.devices.panicDevices[0].model', vmiWith({ devices: { panicDevices: [{ model: 'pvpanic' }] } })],
    ['spec.domain.devices.watchdog', vmiWith({ devices: { watchdog: { name: 'w' } } })],
    ['spec.domain.devices.clientPassthrough', vmiWith({ devices: { clientPassthrough: {} } })],
    ['spec.domain.ioThreadsPolicy', vmiWith({ ioThreadsPolicy: 'many', devices: { disks: [rootDisk] } })],
    ['spec.architecture', vmiWith({}, { architecture: 'arm64' })],
    ['metadata.name', { ...vmiWith(), metadata: { name: 'a/b' } }],
  ])('%s is named', (field, vmi) => {
    const error = refusal(vmi);
    expect(error.field).toBe(field);
    expect(error.message).toContain(`${field}: `);
  });

  it('names the field of a text that XML does not allow', () => {
    expect(refusal(vmiWith({ chassis: { asset: 'a\u0000b' } })).field).toBe('spec.domain.chassis.asset');
    expect(refusal(vmiWith({ firmware: { serial: 'lone \ud800' } })).field).toBe('spec.domain.firmware.serial');
  });
});

describe('the domain', () => {
  it('has the uid of the VMI, and the guest the UUID of its firmware', () => {
    const uuid = '6a1a24a1-4061-4607-8bf4-a3963d0c5895';
    const xml = convertDomain(vmiWith({ firmware: { uuid } }), emulated());
    expect(xml).toContain(`<uuid>${UID}</uuid>`);
    expect(xml).toMatch(new RegExp(`<qemu:arg value="-uuid"/>\\s+<qemu:arg value="${uuid}"/>`));
  });

  it('tells whose it is, whichever way libvirt writes it', () => {
    const vmi = { ...vmiWith(), metadata: { namespace: 'a&b', name: "it's" } };
    const owner = { uid: UID, namespace: 'a&b', name: "it's" };
    expect(domainOwner(convertDomain(vmi, onNode()))).toEqual(owner);
    const patient = { ...vmi, spec: { ...vmi.spec, terminationGracePeriodSeconds: 0 } };
    expect(domainOwner(convertDomain(patient, onNode()))).toEqual({ ...owner, graceSeconds: 0 });
    const within = (metadata: string): string => `<domain><metadata>${metadata}</metadata></domain>`;
    const rewritten = `<vireo:vmi xmlns:vireo='urn:vireo:vmi:1' uid='${UID}' namespace='a&#38;b' name="it's"/>`;
    expect(domainOwner(within(rewritten))).toEqual(owner);
    expect(domainOwner(within(''))).toBeUndefined();
    expect(domainOwner(within('<vireo:vmi xmlns:vireo="urn:other" uid="x"/>'))).toBeUndefined();
  });

  it('leaves out disks that are plugged in later, and keeps their names free', () => {
    const disks = [
      { name: 'later', disk: { bus: 'scsi' } },
      { name: 'shared', disk: { bus: 'scsi' } },
    ];
    const volumes = [{ name: 'later', persistentVolumeClaim: { claimName: 'c', hotpluggable: true } }];
    const vmi = vmiWith({ devices: { disks } }, { volumes });
    expect(convertDomain(vmi, onNode())).not.toContain('ua-later');
    expect(convertDomain(vmi, onNode())).toContain('<target dev="sdb" bus="scsi"/>');
    const later = onNode({ volumes: { later: onNode().volumes.root! } });
    expect(convertDisk(vmi, 'later', later)).toContain('<target dev="sda" bus="scsi"/>');
  });

  it('tries disks in the order of the spec, empty drives last, unless someone says otherwise', () => {
    const disks = [{ name: 'empty', cdrom: { bus: 'sata' } }, rootDisk, { name: 'data', disk: { bus: 'virtio' } }];
    const orders = (xml: string) =>
      [...xml.matchAll(/boot order="(\d)"\/>\s+<alias name="ua-(\w+)"/g)].map(([, o, n]) => `${n} ${o}`);
    expect(orders(convertDomain(vmiWith({ devices: { disks } }), onNode()))).toEqual(['empty 3', 'root 1', 'data 2']);
    const ordered = [disks[0]!, { ...rootDisk, bootOrder: 5 }];
    expect(orders(convertDomain(vmiWith({ devices: { disks: ordered } }), onNode()))).toEqual(['root 5']);
  });

  it('keeps ports free for what is plugged in later', () => {
    const ports = (vmi: Vmi) => convertDomain(vmi, onNode()).match(/pcie-root-port/g)?.length ?? 0;
    const interfaces = Array.from({ length: 10 }, (_, index) => ({ name: `n${index}`, state: 'absent', bridge: {} }));
    expect(ports(vmiWith())).toBe(8);
    expect(ports(vmiWith({ memory: { guest: '3Gi' } }))).toBe(16);
    expect(ports(vmiWith({ devices: { interfaces } }))).toBe(8);
    expect(ports(vmiWith({ devices: { disableHotplug: true } }))).toBe(2);
  });

  it('never asks an emulator for the processor of the host', () => {
    for (const model of ['host-model', 'host-passthrough', undefined]) {
      const xml = convertDomain(vmiWith({ cpu: { model } }), emulated());
      expect(xml).toContain('<cpu mode="maximum">');
      expect(xml).not.toMatch(/host-(model|passthrough)/);
    }
  });
});

describe('one device', () => {
  it('is an empty drive, or one with a medium', () => {
    const vmi = vmiWith({ devices: { disks: [{ name: 'cloudinit', cdrom: { bus: 'sata' } }] } });
    expect(convertDisk(vmi, 'cloudinit', onNode())).toContain('<source file="/disks/cloudinit.iso"/>');
    const empty = convertDisk(vmi, 'cloudinit', onNode({ volumes: {} }));
    expect(empty).toBe(
      '<disk type="block" device="cdrom">\n' +
        '  <driver name="qemu" type="raw" discard="unmap"/>\n' +
        '  <target dev="sda" bus="sata"/>\n' +
        '  <readonly/>\n' +
        '  <alias name="ua-cloudinit"/>\n' +
        '</disk>\n',
    );
  });

  it('is a network card, as it is among all others', () => {
    const interfaces = [
      { name: 'default', masquerade: {} },
      { name: 'lab', bridge: {}, state: 'down' },
    ];
    const vmi = vmiWith({ devices: { interfaces } });
    const context = onNode({ interfaces: { lab: { kind: 'bridge', bridge: 'br1', mac: '02:00:00:00:00:01' } } });
    expect(convertInterface(vmi, 'lab', context)).toMatch(
      /^<interface type="bridge">\n {2}<source bridge="br1"\/>[\s\S]*<link state="down"\/>[\s\S]*<alias name="ua-lab"\/>/,
    );
    const wrong = vmiWith({ devices: { interfaces: [interfaces[0]!, { name: 'lab', model: 'igb' }] } });
    expect(() => convertInterface(wrong, 'lab', context)).toThrow('spec.domain.devices.interfaces[1].model');
  });

  it('must be there', () => {
    expect(() => convertDisk(vmiWith(), 'x', onNode())).toThrow(ConversionError);
    expect(() => convertInterface(vmiWith(), 'x', onNode())).toThrow(ConversionError);
  });
});

describe('hypervisors', () => {
  let unregister = (): void => {};
  afterEach(() => unregister());

  it('make parts of the domain in their own way, and have the last words on it', () => {
    const say = (text: string) => (domain: XmlElement) => ({
      ...domain,
      children: [...domain.children, el('description', {}, text)],
    });
    unregister = registerHypervisor({
      name: 'sample',
      converter: {
        domainType: 'test',
        isAccelerated: false,
        overrides: { rng: (conversion, base) => [...base(conversion), el('rng', { model: 'own' })] },
        mutators: [say('first'), say('second')],
      },
      runtime: {
        deviceRequests: [],
        memoryOverheadBytes: () => 0n,
        memlockBytes: () => undefined,
        handleHousekeeping: say('last'),
      },
    });
    const xml = convertDomain(vmiWith({ devices: { rng: {} } }), onNode({ hypervisor: 'sample' }));
    expect(xml).toContain('<domain type="test"');
    expect(xml).toMatch(/<rng model="virtio-non-transitional">[\s\S]*<rng model="own"/);
    expect(xml.match(/<description>\w+/g)).toEqual(['<description>first', '<description>second', '<description>last']);
  });

  it('that nobody knows are KVM', () => {
    expect(convertDomain(vmiWith(), onNode({ hypervisor: 'unheard-of' }))).toContain('<domain type="kvm"');
  });
});

describe('devices on the root complex', () => {
  const annotated = (value: string): Vmi => ({
    ...vmiWith({ devices: { rng: {} } }),
    metadata: { ...vmiWith().metadata, annotations: { 'kubevirt.io/placePCIDevicesOnRootComplex': value } },
  });

  it('have slots of their own there, and no ports', () => {
    const domain = convertDomain(annotated('true'), onNode());
    expect(domain).not.toContain('pcie-root-port');
    const slots = [...domain.matchAll(/bus="0x00" slot="(0x[0-9a-f]+)"/g)].map(([, slot]) => slot);
    expect(slots.length).toBeGreaterThan(2);
    expect(slots.slice(0, 2)).toEqual(['0x02', '0x03']);
    expect(new Set(slots).size).toBe(slots.length);
  });

  it('are there only for VMIs that ask for it', () => {
    expect(convertDomain(annotated('false'), onNode())).toContain('pcie-root-port');
  });
});

describe('memory that virtiofsd can share', () => {
  const backing = /<memoryBacking>\s*<source type="memfd"\/>\s*<access mode="shared"\/>\s*<\/memoryBacking>/;
  const annotated = (value: string): Vmi => ({
    ...vmiWith(),
    metadata: { ...vmiWith().metadata, annotations: { 'vireo.io/shared-memory': value } },
  });
  const shared = vmiWith({ devices: { filesystems: [{ name: 'fs', virtiofs: {} }] } });

  it('is there for guests with filesystems, and for those who may get some later', () => {
    expect(convertDomain(shared, onNode({ filesystems: { fs: { socket: '/run/fs' } } }))).toMatch(backing);
    expect(convertDomain(annotated('true'), onNode())).toMatch(backing);
  });

  it('is not there for others', () => {
    expect(convertDomain(annotated('false'), onNode())).not.toContain('memoryBacking');
    expect(convertDomain(vmiWith(), onNode())).not.toContain('memoryBacking');
  });

  it('serves directories that are plugged in, as those from the start', () => {
    const domain = convertDomain(shared, onNode({ filesystems: { fs: { socket: '/run/fs' } } }));
    const plugged = convertFilesystem('fs', '/run/fs').replaceAll(/\s+/g, '');
    expect(domain.replaceAll(/\s+/g, '')).toContain(plugged);
    expect(plugged).toContain('<targetdir="fs"/>');
  });
});
