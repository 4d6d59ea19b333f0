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
  bus: optional(string, 'How the guest reaches it: usb or virtio; usb when empty.'),
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
  enabled: optional(boolean, 'Whether there is one; true when missing. False overrules a preference.'),
  persistent: optional(boolean, 'Whether its secrets survive a stop; they are kept on a volume then.'),
});
export interface TPMDevice extends Infer<typeof TPMDevice> {}

export const VideoDevice = struct('io.kubevirt.v1.VideoDevice', 'The emulated graphics card of the guest.', {
  type: optional(string, "vga, bochs, virtio, cirrus or ramfb. The firmware's usual one when empty."),
});
export interface VideoDevice extends Infer<typeof VideoDevice> {}

export const Diag288Watchdog = struct('io.kubevirt.v1.Diag288Watchdog', 'Watchdog for guests on s390x.', {
  action: optional(string, 'What happens to a guest that hangs: poweroff, reset or shutdown. reset when empty.'),
});
export interface Diag288Watchdog extends Infer<typeof Diag288Watchdog> {}

export const I6300ESBWatchdog = struct('io.kubevirt.v1.I6300ESBWatchdog', 'Intel 6300ESB watchdog on the PCI bus.', {
  action: optional(string, 'What happens to a guest that hangs: poweroff, reset or shutdown. reset when empty.'),
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
  autoattachGraphicsDevice: optional(boolean, 'Whether there is a screen, and with it VNC; true when missing.'),
  autoattachInputDevice: optional(boolean, 'Whether a tablet is added where there is no input device.'),
  autoattachMemBalloon: optional(boolean, 'Whether the guest can give memory back; true when missing.'),
  autoattachPodInterface: optional(
    boolean,
    'Whether a machine without interfaces gets one on the pod network; true when missing.',
  ),
  autoattachSerialConsole: optional(boolean, 'Whether there is a serial console; true when missing.'),
  autoattachVSOCK: optional(boolean, 'Whether the guest can be reached by VSOCK.'),
  blockMultiQueue: optional(boolean, 'Whether virtio disks have a queue for every processor.'),
  clientPassthrough: optional(ClientPassthroughDevices, 'Lets a user lend the guest USB devices over the network.'),
  disableHotplug: optional(boolean, 'Whether disks cannot be plugged in while the machine runs.'),
  disks: optional(
    atMost(256, list(Disk)),
    'Disks, CD-ROM drives and LUNs. Each belongs to the volume of the same name; a CD-ROM drive may be empty.',
  ),
  downwardMetrics: optional(DownwardMetrics, 'A serial port that tells the guest figures of its host.'),
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
    "Whether what the guest prints on its serial console is kept as a log. The cluster's setting when missing.",
  ),
  networkInterfaceMultiqueue: optional(boolean, 'Whether virtio network cards have a queue for every processor.'),
  panicDevices: optional(list(PanicDevice), "Devices that tell the host when the guest's kernel panics."),
  rng: optional(Rng, 'A source of random numbers from the host.'),
  sound: optional(SoundDevice, 'An emulated sound card.'),
  tpm: optional(TPMDevice, 'An emulated Trusted Platform Module (TPM), which Windows 11 needs.'),
  useVirtioTransitional: optional(boolean, 'Whether virtio devices speak the old protocol too, for old guests.'),
  video: optional(VideoDevice, 'The emulated graphics card.'),
  watchdog: optional(Watchdog, 'A watchdog that acts when the guest hangs.'),
});
export interface Devices extends Infer<typeof Devices> {}
