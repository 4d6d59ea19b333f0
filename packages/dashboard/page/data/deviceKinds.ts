/** Disks and network cards of machines, as far as the page reads them. */

export interface DiskTarget {
  readonly bus?: string;
  readonly readonly?: boolean;
}

/** A disk or a drive in the spec of a machine. */
export interface DiskDevice {
  readonly name: string;
  readonly disk?: DiskTarget;
  readonly cdrom?: DiskTarget;
  readonly lun?: DiskTarget;
  readonly bootOrder?: number;
  readonly serial?: string;
}

export interface CardPort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
}

/** A network card in the spec of a machine. Its binding is the key that is none of the others. */
export interface CardDevice {
  readonly name: string;
  readonly model?: string;
  readonly macAddress?: string;
  readonly state?: string;
  readonly ports?: readonly CardPort[];
  readonly bootOrder?: number;
  readonly masquerade?: object;
  readonly bridge?: object;
  readonly sriov?: object;
  readonly binding?: { readonly name?: string };
}

export interface CardNetwork {
  readonly name: string;
  readonly pod?: object;
  readonly multus?: { readonly networkName: string; readonly default?: boolean };
}

export interface Devices {
  readonly disks?: readonly DiskDevice[];
  readonly filesystems?: readonly { readonly name: string }[];
  readonly interfaces?: readonly CardDevice[];
  readonly disableHotplug?: boolean;
}

/** A card of a guest that runs. */
export interface CardStatus {
  readonly name?: string;
  readonly mac?: string;
  readonly ipAddress?: string;
  readonly ipAddresses?: readonly string[];
  readonly interfaceName?: string;
  readonly linkState?: string;
  readonly infoSource?: string;
}

/** A volume of a guest that runs. */
export interface VolumeStatus {
  readonly name: string;
  readonly target?: string;
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly size?: number;
  readonly hotplugVolume?: object;
  readonly persistentVolumeClaimInfo?: {
    readonly claimName?: string;
    readonly capacity?: { readonly storage?: string };
  };
}

/** A CD-ROM drive of a guest that runs; KubeVirt's own servers do not report it. */
export interface DriveStatus {
  readonly name: string;
  readonly target?: string;
  readonly tray?: string;
  readonly claimName?: string;
  readonly size?: number;
  readonly message?: string;
}
