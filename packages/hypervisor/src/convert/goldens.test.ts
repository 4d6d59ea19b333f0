import { describe, expect, it } from 'vitest';
import type { HostTopology } from '../hostTopology.ts';
import { domainSchemaErrors } from '../testing/domainSchema.ts';
import { emulated, onNode, vmiWith } from '../testing/fixtures.ts';
import type { ConverterContext } from './context.ts';
import { convertDomain } from './convertDomain.ts';

type Case = [title: string, file: string, vmi: ReturnType<typeof vmiWith>, context: ConverterContext];

const rootDisk = { name: 'root', disk: { bus: 'virtio' } };

/** A host with two sockets of four cores, two threads each. */
const twoCells: HostTopology = {
  cells: [0, 8].map((first, id) => ({ id, cores: [0, 2, 4, 6].map((core) => [first + core, first + core + 1]) })),
};

const cases: Case[] = [
  ['next to nothing', 'minimal', vmiWith(), onNode()],
  ['next to nothing, emulated', 'minimal-emulated', vmiWith(), emulated()],
  [
    'the usual VMI: a disk, cloud-init and a network card',
    'usual',
    vmiWith({
      cpu: { sockets: 1, cores: 2, threads: 1, maxSockets: 4, model: 'host-model' },
      memory: { guest: '1Gi', maxGuest: '4Gi' },
      firmware: { uuid: '6a1a24a1-4061-4607-8bf4-a3963d0c5895', serial: 'abc-1' },
      devices: {
        disks: [rootDisk, { name: 'cloudinit', disk: { bus: 'virtio' } }],
        interfaces: [{ name: 'default', masquerade: {} }],
        rng: {},
      },
    }),
    onNode(),
  ],
  [
    'the usual VMI, emulated: no host processor',
    'usual-emulated',
    vmiWith({
      cpu: { sockets: 1, maxSockets: 4, model: 'host-passthrough', features: [{ name: 'la57', policy: 'disable' }] },
      memory: { guest: '1Gi', maxGuest: '4Gi' },
      features: { acpi: {}, kvm: { hidden: true }, pvspinlock: {}, hyperv: { relaxed: {} } },
      clock: { utc: {}, timer: { kvm: {}, hyperv: {}, hpet: { present: false } } },
      devices: { disks: [rootDisk], interfaces: [{ name: 'default' }] },
    }),
    emulated(),
  ],
  [
    'a user of its own, who has started its TPM',
    'own-user',
    vmiWith({ devices: { disks: [rootDisk], tpm: { persistent: true } } }),
    onNode({
      user: { uid: 1_900_000_001, gid: 1_900_000_000 },
      paths: { ...onNode().paths, tpmSocket: '/run/vireo/1/own/tpm' },
    }),
  ],
  [
    'every bus and kind of disk',
    'disks',
    vmiWith({
      devices: {
        disks: [
          { ...rootDisk, bootOrder: 2, serial: 'CVLY623300HK240D', cache: 'writeback', errorPolicy: 'report' },
          { name: 'data', lun: { bus: 'scsi' }, io: 'threads' },
          { name: 'shared', disk: { bus: 'scsi' }, shareable: true, io: 'native' },
          { name: 'cloudinit', cdrom: { bus: 'sata', tray: 'closed' }, bootOrder: 1 },
          { name: 'empty', cdrom: { bus: 'scsi', tray: 'open' } },
          { name: 'stick', disk: { bus: 'usb', readonly: true } },
        ],
      },
    }),
    onNode({ volumes: { ...onNode().volumes, stick: onNode().volumes.shared! } }),
  ],
  [
    'block sizes and a place on the PCI bus',
    'disk-sizes',
    vmiWith({
      devices: {
        disks: [
          {
            name: 'root',
            disk: { bus: 'virtio', pciAddress: '0000:00:0a.0' },
            blockSize: { custom: { logical: 512, physical: 4096 } },
          },
          { name: 'data', disk: { bus: 'virtio' }, blockSize: { matchVolume: {} } },
        ],
      },
    }),
    onNode({
      volumes: {
        ...onNode().volumes,
        data: { ...onNode().volumes.data!, blockSize: { logical: 4096, physical: 4096 } },
      },
    }),
  ],
  [
    'I/O threads: shared ones and one of its own, with queues',
    'iothreads',
    vmiWith({
      cpu: { cores: 2 },
      ioThreadsPolicy: 'auto',
      devices: {
        blockMultiQueue: true,
        disks: [
          { ...rootDisk, dedicatedIOThread: true },
          { name: 'data', disk: { bus: 'virtio' } },
          { name: 'shared', disk: { bus: 'virtio' } },
          { name: 'cloudinit', disk: { bus: 'sata' } },
        ],
      },
    }),
    onNode(),
  ],
  [
    'every backend of network cards',
    'interfaces',
    vmiWith({
      cpu: { cores: 4 },
      devices: {
        networkInterfaceMultiqueue: true,
        interfaces: [
          { name: 'default', model: 'e1000', macAddress: 'DE-AD-00-00-BE-AF', bootOrder: 1 },
          { name: 'passt', passtBinding: {}, acpiIndex: 101 },
          { name: 'blue', bridge: {}, state: 'down', pciAddress: '0000:00:0b.0' },
          { name: 'vf', sriov: {} },
          { name: 'red', bridge: {} },
          { name: 'gone', bridge: {}, state: 'absent' },
        ],
      },
    }),
    onNode(),
  ],
  [
    'UEFI without secure boot',
    'efi',
    vmiWith({ firmware: { bootloader: { efi: { secureBoot: false } } } }),
    onNode({ paths: { ...onNode().paths, nvram: '/state/nvram.fd' } }),
  ],
  [
    'secure boot with TPM, as Windows wants it',
    'windows',
    vmiWith({
      memory: { guest: '4Gi' },
      clock: {
        utc: {},
        timer: {
          hpet: { present: false },
          hyperv: {},
          pit: { tickPolicy: 'delay' },
          rtc: { tickPolicy: 'catchup', track: 'guest' },
        },
      },
      features: {
        acpi: {},
        apic: { endOfInterrupt: true },
        smm: {},
        hyperv: {
          relaxed: {},
          spinlocks: { spinlocks: 8191 },
          vapic: {},
          vpindex: {},
          synic: {},
          synictimer: { direct: {} },
          tlbflush: {},
          vendorid: { vendorid: 'myvendor' },
          ipi: { enabled: false },
        },
      },
      firmware: { bootloader: { efi: {} } },
      devices: {
        disks: [{ name: 'root', disk: { bus: 'sata' } }],
        tpm: { persistent: true },
        inputs: [{ name: 'tablet', type: 'tablet', bus: 'usb' }],
        sound: { name: 'audio' },
      },
    }),
    onNode(),
  ],
  [
    'a kernel started directly, BIOS on the serial console',
    'kernel-boot',
    vmiWith({
      firmware: {
        bootloader: { bios: { useSerial: true } },
        kernelBoot: {
          kernelArgs: 'console=ttyS0 a="b" <&>',
          container: { image: 'x', kernelPath: '/k', initrdPath: '/i' },
        },
      },
    }),
    onNode({ kernelBoot: { kernel: '/boot/vmlinuz', initrd: '/boot/initrd' } }),
  ],
  [
    'small devices',
    'small-devices',
    vmiWith({
      chassis: { manufacturer: 'Ours', asset: 'A1' },
      rebootPolicy: 'Terminate',
      devices: {
        watchdog: { name: 'dog', i6300esb: { action: 'poweroff' } },
        rng: {},
        tpm: {},
        autoattachVSOCK: true,
        downwardMetrics: {},
        panicDevices: [{ model: 'hyperv' }],
        inputs: [{ name: 'pen', type: 'tablet', bus: 'virtio' }],
        video: { type: 'virtio' },
        clientPassthrough: {},
        useVirtioTransitional: true,
      },
    }),
    onNode({
      paths: { ...onNode().paths, usbRedirectionSockets: ['/run/usb0', '/run/usb1'] },
      memBalloonStatsPeriodSeconds: 0,
      freePageReporting: false,
      smbios: { manufacturer: 'Acme', version: '1' },
    }),
  ],
  [
    'as little as possible',
    'headless',
    vmiWith({
      features: { acpi: { enabled: false } },
      devices: {
        autoattachGraphicsDevice: false,
        autoattachMemBalloon: false,
        autoattachSerialConsole: false,
        disableHotplug: true,
        disks: [rootDisk],
      },
    }),
    onNode(),
  ],
  [
    'dedicated processors on huge pages',
    'dedicated',
    vmiWith({
      cpu: {
        cores: 2,
        dedicatedCpuPlacement: true,
        isolateEmulatorThread: true,
        model: 'Haswell-noTSX',
        features: [{ name: 'vmx' }],
      },
      memory: { guest: '2Gi', hugepages: { pageSize: '1Gi' } },
    }),
    onNode({ dedicatedCpus: [4, 5, 7] }),
  ],
  [
    'two NUMA cells in real time, with I/O threads beside the vCPUs',
    'numa',
    vmiWith({
      cpu: {
        cores: 2,
        threads: 2,
        maxSockets: 2,
        dedicatedCpuPlacement: true,
        numa: { guestMappingPassthrough: {} },
        realtime: { mask: '0-3,^1' },
        model: 'host-passthrough',
      },
      memory: { guest: '1026Mi', hugepages: { pageSize: '2Mi' } },
      ioThreadsPolicy: 'auto',
      devices: {
        autoattachMemBalloon: false,
        disks: [rootDisk, { name: 'data', disk: { bus: 'virtio' } }, { name: 'shared', disk: { bus: 'virtio' } }],
      },
    }),
    onNode({ dedicatedCpus: [2, 3, 10, 11], hostTopology: twoCells }),
  ],
  [
    'a pool of I/O threads and an isolated emulator, emulated',
    'dedicated-emulated',
    {
      ...vmiWith({
        cpu: { cores: 2, dedicatedCpuPlacement: true, isolateEmulatorThread: true },
        ioThreadsPolicy: 'supplementalPool',
        ioThreads: { supplementalPoolThreadCount: 2 },
        devices: { disks: [rootDisk, { name: 'data', disk: { bus: 'virtio' } }] },
      }),
      metadata: {
        namespace: 'default',
        name: 'testvmi',
        annotations: { 'alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity': '' },
      },
    },
    emulated({ dedicatedCpus: [1, 2, 3, 4, 5, 6] }),
  ],
  [
    'devices of the node and a shared directory',
    'host-devices',
    vmiWith({
      clock: { timezone: 'Europe/Berlin' },
      devices: {
        gpus: [{ name: 'gpu', deviceName: 'x/y' }],
        hostDevices: [
          { name: 'vgpu', deviceName: 'x/z' },
          { name: 'stick', deviceName: 'x/u' },
        ],
        filesystems: [{ name: 'share', virtiofs: {} }],
      },
    }),
    onNode({
      hostDevices: {
        gpu: { kind: 'pci', address: '0000:65:00.0' },
        vgpu: { kind: 'mdev', uuid: '0f1d1b5c-0000-4000-8000-000000000001' },
        stick: { kind: 'usb', bus: 1, device: 4 },
      },
      filesystems: { share: { socket: '/run/virtiofs0' } },
    }),
  ],
  [
    'ARM, emulated',
    'arm64-emulated',
    vmiWith(
      {
        cpu: { model: 'host-passthrough' },
        firmware: { bootloader: { efi: { secureBoot: false } } },
        devices: {
          disks: [rootDisk, { name: 'empty', cdrom: { bus: 'scsi' } }],
          interfaces: [{ name: 'default' }],
        },
      },
      { architecture: 'arm64' },
    ),
    emulated({ architecture: 'arm64' }),
  ],
  [
    'hostile texts, which arrive as data',
    'hostile',
    vmiWith({
      machine: { type: 'q35' },
      chassis: { manufacturer: '"/><script>&amp;', asset: ']]>', serial: "' or '1'='1" },
      firmware: {
        serial: '</entry><entry name="uuid">x',
        kernelBoot: { container: { image: 'x', kernelPath: '/k' }, kernelArgs: 'a\n\t<b>' },
      },
      devices: { disks: [rootDisk] },
    }),
    onNode({ kernelBoot: { kernel: '/boot/<k>&' } }),
  ],
];

describe('domain XML', () => {
  it.each(cases)('%s', async (_title, file, vmi, context) => {
    const xml = convertDomain(vmi, context);
    await expect(xml).toMatchFileSnapshot(`./goldens/${file}.xml`);
    expect(domainSchemaErrors(xml)).toBe('');
  });
});
