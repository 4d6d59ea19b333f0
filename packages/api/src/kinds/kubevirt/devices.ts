import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { atMost, optional, required } from '../customResource.ts';
import { Disk } from './disk.ts';
import { GPU, HostDevice } from './hostDevice.ts';
import { Interface } from './interface.ts';

export const ClientPassthroughDevices = struct(
  'io.kubevirt.v1.ClientPassthroughDevices',
  'Redirects USB devices from a client to the guest over the network.',
  {},
);
export interface ClientPassthroughDevices extends Infer<typeof ClientPassthroughDevices> {}

export const DownwardMetrics = struct(
  'io.kubevirt.v1.DownwardMetrics',
  'Adds a virtio serial port through which the guest reads metrics of its host.',
  {},
);
export interface DownwardMetrics extends Infer<typeof DownwardMetrics> {}

export const FilesystemVirtiofs = struct(
  'io.kubevirt.v1.FilesystemVirtiofs',
  'Shares the directory with the guest through virtiofs.',
  {},
);
export interface FilesystemVirtiofs extends Infer<typeof FilesystemVirtiofs> {}

export const Filesystem = struct(
  'io.kubevirt.v1.Filesystem',
  'A directory that the guest can mount. Its content comes from the volume of the same name.',
  {
    name: required(string, 'Name of the volume, and of the mount in the guest.'),
    virtiofs: required(FilesystemVirtiofs, 'Share the directory through virtiofs. The guest mounts it by its name.'),
  },
);
export interface Filesystem extends Infer<typeof Filesystem> {}

export const Input = struct('io.kubevirt.v1.Input', 'An input device of the guest.', {
  bus: optional(string, 'Bus of the device: usb or virtio. Defaults to usb.'),
  name: required(string, 'Name of the input device.'),
  type: required(string, 'Type of the input device. Only tablet is supported.'),
});
export interface Input extends Infer<typeof Input> {}

export const PanicDevice = struct('io.kubevirt.v1.PanicDevice', 'Reports a kernel panic of the guest to the host.', {
  model: optional(string, 'Model of the panic device: hyperv, isa or pvpanic.'),
});
export interface PanicDevice extends Infer<typeof PanicDevice> {}

export const Rng = struct('io.kubevirt.v1.Rng', 'Gives the guest random numbers from the host (virtio-rng).', {});
export interface Rng extends Infer<typeof Rng> {}

export const SoundDevice = struct('io.kubevirt.v1.SoundDevice', 'An emulated sound card.', {
  model: optional(string, 'Model of the sound card: ich9 or ac97. Defaults to ich9.'),
  name: required(string, 'Name of the sound card.'),
});
export interface SoundDevice extends Infer<typeof SoundDevice> {}

export const TPMDevice = struct('io.kubevirt.v1.TPMDevice', 'An emulated Trusted Platform Module (TPM).', {
  enabled: optional(boolean, 'Whether the guest has a TPM. Defaults to true; false overrides a preference.'),
  persistent: optional(boolean, 'Whether the state of the TPM persists across stops. It is then kept on a volume.'),
});
export interface TPMDevice extends Infer<typeof TPMDevice> {}

export const VideoDevice = struct('io.kubevirt.v1.VideoDevice', 'The emulated graphics card of the guest.', {
  type: optional(
    string,
    'Type of the graphics card: vga, bochs, virtio, cirrus or ramfb. Defaults to the usual type for the firmware.',
  ),
});
export interface VideoDevice extends Infer<typeof VideoDevice> {}

export const Diag288Watchdog = struct('io.kubevirt.v1.Diag288Watchdog', 'Watchdog for guests on s390x.', {
  action: optional(string, 'What happens to a guest that hangs: poweroff, reset or shutdown. Defaults to reset.'),
});
export interface Diag288Watchdog extends Infer<typeof Diag288Watchdog> {}

export const I6300ESBWatchdog = struct('io.kubevirt.v1.I6300ESBWatchdog', 'Intel 6300ESB watchdog on the PCI bus.', {
  action: optional(string, 'What happens to a guest that hangs: poweroff, reset or shutdown. Defaults to reset.'),
});
export interface I6300ESBWatchdog extends Infer<typeof I6300ESBWatchdog> {}

export const Watchdog = struct(
  'io.kubevirt.v1.Watchdog',
  'A watchdog that acts when the guest hangs. Set the field of one model.',
  {
    diag288: optional(Diag288Watchdog, 'Watchdog for guests on s390x.'),
    i6300esb: optional(I6300ESBWatchdog, 'Intel 6300ESB watchdog on the PCI bus, for other architectures.'),
    name: required(string, 'Name of the watchdog device.'),
  },
);
export interface Watchdog extends Infer<typeof Watchdog> {}

export const Devices = struct('io.kubevirt.v1.Devices', 'Disks, network interfaces and other devices of the guest.', {
  autoattachGraphicsDevice: optional(
    boolean,
    'Whether to attach a graphics device, which VNC needs. Defaults to true.',
  ),
  autoattachInputDevice: optional(boolean, 'Whether a tablet is added where there is no input device.'),
  autoattachMemBalloon: optional(
    boolean,
    'Whether to attach a memory balloon, through which the guest reports its memory use. Defaults to true.',
  ),
  autoattachPodInterface: optional(
    boolean,
    'Whether a VM without interfaces gets one on the pod network. Defaults to true.',
  ),
  autoattachSerialConsole: optional(boolean, 'Whether to attach a serial console. Defaults to true.'),
  autoattachVSOCK: optional(boolean, 'Whether the guest can be reached by VSOCK.'),
  blockMultiQueue: optional(boolean, 'Whether virtio disks have a queue for every processor.'),
  clientPassthrough: optional(ClientPassthroughDevices, 'Lets a user lend the guest USB devices over the network.'),
  disableHotplug: optional(boolean, 'Whether hotplugging disks is disabled.'),
  disks: optional(
    atMost(256, list(Disk)),
    'Disks, CD-ROM drives and LUNs. Each belongs to the volume of the same name; a CD-ROM drive may be empty.',
  ),
  downwardMetrics: optional(
    DownwardMetrics,
    'Attach a virtio serial port through which the guest reads metrics of its host.',
  ),
  filesystems: optional(
    list(Filesystem, 'atomic'),
    'Directories that the guest can mount, each from the volume of the same name.',
  ),
  gpus: optional(list(GPU, 'atomic'), 'Graphics cards of the node that the guest gets.'),
  hostDevices: optional(list(HostDevice, 'atomic'), 'Devices of the node that the guest gets.'),
  inputs: optional(list(Input), 'Input devices, such as a tablet for a pointer that follows the mouse.'),
  interfaces: optional(atMost(256, list(Interface)), 'Network cards. Each is joined to the network of the same name.'),
  logSerialConsole: optional(
    boolean,
    'Whether to log the output of the serial console. Defaults to the setting of the cluster.',
  ),
  networkInterfaceMultiqueue: optional(boolean, 'Whether virtio network cards have a queue for every processor.'),
  panicDevices: optional(list(PanicDevice), 'Devices that report a kernel panic of the guest to the host.'),
  rng: optional(Rng, 'A source of random numbers from the host.'),
  sound: optional(SoundDevice, 'An emulated sound card.'),
  tpm: optional(TPMDevice, 'An emulated Trusted Platform Module (TPM), which Windows 11 needs.'),
  useVirtioTransitional: optional(boolean, 'Whether virtio devices speak the old protocol too, for old guests.'),
  video: optional(VideoDevice, 'The emulated graphics card.'),
  watchdog: optional(Watchdog, 'A watchdog that acts when the guest hangs.'),
});
export interface Devices extends Infer<typeof Devices> {}
