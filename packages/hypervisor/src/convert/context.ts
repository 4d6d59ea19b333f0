import type { HostTopology } from '../hostTopology.ts';

/** What the node knows and the VMI does not: where things are on this host. */
export interface ConverterContext {
  /** Name of the hypervisor that the launcher was made for (`--hypervisor`). */
  readonly hypervisor: string;
  /** Kubernetes' word: amd64, arm64. */
  readonly architecture: string;
  /** The guest runs without hardware support. */
  readonly useEmulation: boolean;
  /** `<uuid>` of the domain: the VMI's uid. */
  readonly domainUuid: string;
  /** What stands behind each disk, by volume name. A CD-ROM drive without one is empty. */
  readonly volumes: Readonly<Record<string, DiskSource>>;
  /** How each interface is joined to its network, by interface name. */
  readonly interfaces: Readonly<Record<string, NetworkBackend>>;
  readonly paths: DomainPaths;
  /** Whom QEMU runs as; libvirt's choice when missing. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Kernel and initial RAM disk of a VMI with `kernelBoot.container`. */
  readonly kernelBoot?: { readonly kernel?: string; readonly initrd?: string };
  /** Devices of the host for gpus and hostDevices, by their name in the VMI. */
  readonly hostDevices?: Readonly<Record<string, HostDeviceSource>>;
  /** virtiofsd's sockets, by filesystem name. */
  readonly filesystems?: Readonly<Record<string, { readonly socket: string }>>;
  /** The host's CPUs that are the VMI's alone, where it asks for dedicated ones. */
  readonly dedicatedCpus?: readonly number[];
  /** Where the host's CPUs are; one cell without threads when missing. */
  readonly hostTopology?: HostTopology;
  /** ACPI tables for Windows' licence. */
  readonly acpiTables?: { readonly slic?: string; readonly msdm?: string };
  /** What the guest reads about its maker; `configuration.smbios`. */
  readonly smbios?: SmbiosText;
  /** QEMU's binary; libvirt's choice when missing. */
  readonly emulator?: string;
  /** Seconds between two reports of the guest's memory; 10 when missing, 0 for none. */
  readonly memBalloonStatsPeriodSeconds?: number;
  /** Whether the guest tells which pages are free; true when missing. */
  readonly freePageReporting?: boolean;
}

export interface DomainPaths {
  readonly serialSocket: string;
  /** What the guest prints on its serial console; not kept when missing. */
  readonly serialLog?: string;
  readonly vncSocket: string;
  /** Socket of the guest agent; libvirt chooses one when missing. */
  readonly agentSocket?: string;
  /** Socket on which the guest is told of its node; there is none on nodes that do not say. */
  readonly metricsSocket?: string;
  /** The VMI's UEFI variables; libvirt chooses a place when missing. */
  readonly nvram?: string;
  /** Where a TPM listens that was started for the VMI; libvirt starts one when missing. */
  readonly tpmSocket?: string;
  /** Socket of the helper for SCSI reservations. */
  readonly persistentReservationSocket?: string;
  /** Sockets of the USB devices that a user may lend (`clientPassthrough`). */
  readonly usbRedirectionSockets?: readonly string[];
}

/** A disk image or a block device of the host. */
export interface DiskSource {
  readonly kind: 'file' | 'block';
  readonly path: string;
  readonly format: 'raw' | 'qcow2';
  /** Whether the storage can be used past the host's cache (O_DIRECT). */
  readonly directIo: boolean;
  /** The volume can only be read, whatever the disk says. */
  readonly readOnly?: boolean;
  /** Sizes of its blocks, for `blockSize.matchVolume`. */
  readonly blockSize?: { readonly logical: number; readonly physical: number };
}

interface AnyNetworkBackend {
  /** MAC address for an interface that names none; libvirt's random one when missing. */
  readonly mac?: string;
  readonly mtu?: number;
}

/** How a guest's network card reaches the world. */
export type NetworkBackend = AnyNetworkBackend &
  (
    | { readonly kind: 'user' }
    | { readonly kind: 'passt'; readonly logFile?: string; readonly forwards?: readonly PortForward[] }
    | { readonly kind: 'tap'; readonly device: string }
    /** libvirt makes the card's device, joins it to the bridge, and removes it at the end. */
    | { readonly kind: 'bridge'; readonly bridge: string }
    | { readonly kind: 'vfio'; readonly pciAddress: string }
  );

export interface PortForward {
  readonly protocol: 'tcp' | 'udp';
  readonly address?: string;
  readonly ranges: readonly { readonly start: number; readonly end?: number; readonly to?: number }[];
}

export type HostDeviceSource =
  | { readonly kind: 'pci'; readonly address: string }
  | { readonly kind: 'mdev'; readonly uuid: string }
  | { readonly kind: 'usb'; readonly bus: number; readonly device: number };

export interface SmbiosText {
  readonly manufacturer?: string;
  readonly product?: string;
  readonly version?: string;
  readonly sku?: string;
  readonly family?: string;
}
