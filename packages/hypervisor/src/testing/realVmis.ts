import type { Domain, Rest } from './specParts.ts';

const root = { name: 'rootdisk', disk: { bus: 'virtio' } };
const cloudInit = { name: 'cloudinitdisk', cloudInitNoCloud: { userData: '#cloud-config\npassword: fedora\n' } };
const pod = [{ name: 'default', pod: {} }];

/** VMIs in the shapes that templates, installers and virtctl write. */
export const realVmis: readonly [title: string, domain: Domain, rest: Rest][] = [
  [
    'a cloud image in a container, behind the pod’s address',
    {
      resources: { requests: { memory: '1024M' } },
      devices: {
        disks: [
          { name: 'containerdisk', disk: { bus: 'virtio' } },
          { name: 'cloudinitdisk', disk: { bus: 'virtio' } },
        ],
        interfaces: [{ name: 'default', masquerade: {}, ports: [{ name: 'ssh', port: 22 }] }],
        rng: {},
      },
    },
    {
      networks: pod,
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: 'containerdisk', containerDisk: { image: 'quay.io/containerdisks/fedora:40' } }, cloudInit],
    },
  ],
  [
    'Windows with enlightenments, secure boot and a TPM',
    {
      cpu: { cores: 4, sockets: 1, threads: 1 },
      memory: { guest: '8Gi' },
      clock: {
        utc: {},
        timer: {
          hpet: { present: false },
          pit: { tickPolicy: 'delay' },
          rtc: { tickPolicy: 'catchup' },
          hyperv: {},
        },
      },
      features: {
        acpi: {},
        apic: {},
        smm: {},
        hyperv: {
          relaxed: {},
          vapic: {},
          vpindex: {},
          runtime: {},
          synic: {},
          synictimer: { direct: {} },
          spinlocks: { spinlocks: 8191 },
          reset: {},
          frequencies: {},
          reenlightenment: {},
          tlbflush: {},
          ipi: {},
        },
      },
      firmware: { bootloader: { efi: { secureBoot: true } } },
      devices: {
        disks: [
          { name: 'rootdisk', disk: { bus: 'sata' }, bootOrder: 1 },
          { name: 'drivers', cdrom: { bus: 'sata' } },
        ],
        interfaces: [{ name: 'default', masquerade: {}, model: 'e1000e' }],
        tpm: { persistent: true },
        inputs: [{ name: 'tablet', type: 'tablet', bus: 'usb' }],
      },
    },
    {
      networks: pod,
      terminationGracePeriodSeconds: 3600,
      volumes: [
        { name: 'rootdisk', dataVolume: { name: 'win2k22' } },
        { name: 'drivers', containerDisk: { image: 'quay.io/kubevirt/virtio-container-disk:v1.3.0' } },
      ],
    },
  ],
  [
    'a server on two networks, its disk imported',
    {
      cpu: { cores: 2 },
      memory: { guest: '4Gi' },
      machine: { type: 'q35' },
      devices: {
        disks: [
          { ...root, bootOrder: 1, cache: 'none', io: 'native' },
          { name: 'cloudinitdisk', disk: { bus: 'virtio' } },
        ],
        interfaces: [
          { name: 'default', masquerade: {} },
          { name: 'storage', bridge: {}, macAddress: '02:00:00:00:01:02' },
        ],
        networkInterfaceMultiqueue: true,
        blockMultiQueue: true,
      },
    },
    {
      evictionStrategy: 'LiveMigrate',
      networks: [...pod, { name: 'storage', multus: { networkName: 'default/storage-net' } }],
      volumes: [{ name: 'rootdisk', dataVolume: { name: 'server-root' } }, cloudInit],
      readinessProbe: { tcpSocket: { port: 22 }, initialDelaySeconds: 30 },
    },
  ],
  [
    'a database with processors and huge pages of its own',
    {
      cpu: { cores: 4, dedicatedCpuPlacement: true, isolateEmulatorThread: true, model: 'host-passthrough' },
      memory: { guest: '8Gi', hugepages: { pageSize: '1Gi' } },
      ioThreadsPolicy: 'auto',
      devices: {
        disks: [root, { name: 'data', disk: { bus: 'virtio' }, dedicatedIOThread: true, serial: 'DATA-01' }],
        interfaces: [{ name: 'default', bridge: {} }],
      },
    },
    {
      networks: pod,
      nodeSelector: { pool: 'database' },
      tolerations: [{ key: 'database', operator: 'Exists', effect: 'NoSchedule' }],
      volumes: [
        { name: 'rootdisk', persistentVolumeClaim: { claimName: 'db-root' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'db-data' } },
      ],
    },
  ],
  [
    'an installer that boots from its CD',
    {
      memory: { guest: '2Gi' },
      devices: {
        disks: [
          { name: 'iso', cdrom: { bus: 'sata' }, bootOrder: 2 },
          { ...root, bootOrder: 1 },
          { name: 'scratch', disk: { bus: 'scsi' } },
        ],
        interfaces: [{ name: 'default', masquerade: {} }],
        watchdog: { name: 'dog', i6300esb: { action: 'poweroff' } },
        sound: { name: 'audio', model: 'ich9' },
      },
    },
    {
      hostname: 'installer',
      networks: pod,
      accessCredentials: [
        {
          sshPublicKey: {
            source: { secret: { secretName: 'keys' } },
            propagationMethod: { qemuGuestAgent: { users: ['root'] } },
          },
        },
      ],
      volumes: [
        { name: 'iso', persistentVolumeClaim: { claimName: 'installer-iso' } },
        { name: 'rootdisk', persistentVolumeClaim: { claimName: 'installed' } },
        { name: 'scratch', emptyDisk: { capacity: '2Gi' } },
      ],
    },
  ],
  ['next to nothing', { memory: { guest: '64Mi' } }, {}],
];
