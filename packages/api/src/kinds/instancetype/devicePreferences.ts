import { boolean, type Infer, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';
import { Rng, TPMDevice } from '../kubevirt/devices.ts';
import { BlockSize } from '../kubevirt/disk.ts';
import { VGPUOptions } from '../kubevirt/hostDevice.ts';
import { InterfaceMasquerade } from '../kubevirt/interface.ts';

export const DevicePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.DevicePreferences',
  'Preferences for devices. Each applies where the VM does not set the field.',
  {
    preferredAutoattachGraphicsDevice: optional(boolean, 'Whether to attach a graphics device.'),
    preferredAutoattachInputDevice: optional(boolean, 'Whether to attach a tablet as input device.'),
    preferredAutoattachMemBalloon: optional(boolean, 'Whether the guest can give memory back.'),
    preferredAutoattachPodInterface: optional(boolean, 'Whether a VM without interfaces gets one on the pod network.'),
    preferredAutoattachSerialConsole: optional(boolean, 'Whether to attach a serial console.'),
    preferredBlockMultiQueue: optional(boolean, 'Whether virtio disks have a queue for every processor.'),
    preferredCdromBus: optional(string, 'Bus of CD-ROM drives, such as sata.'),
    preferredDisableHotplug: optional(boolean, 'Whether hotplugging disks is disabled.'),
    preferredDiskBlockSize: optional(BlockSize, 'How large the guest sees the blocks of disks.'),
    preferredDiskBus: optional(string, 'Bus of disks, such as virtio.'),
    preferredDiskCache: optional(string, 'Cache mode of disks: none, writethrough or writeback.'),
    preferredDiskDedicatedIoThread: optional(boolean, 'Whether virtio disks have an I/O thread each.'),
    preferredDiskIO: optional(string, 'How the host does I/O for disks.'),
    preferredInputBus: optional(string, 'Bus of input devices: virtio or usb.'),
    preferredInputType: optional(string, 'Type of input devices. Only tablet is supported.'),
    preferredInterfaceMasquerade: optional(InterfaceMasquerade, "Whether interfaces hide behind the pod's address."),
    preferredInterfaceModel: optional(string, 'Model of network interfaces, such as virtio or e1000e.'),
    preferredLunBus: optional(string, 'Bus of LUNs, such as scsi.'),
    preferredNetworkInterfaceMultiQueue: optional(
      boolean,
      'Whether virtio network cards have a queue for every processor.',
    ),
    preferredPanicDeviceModel: optional(string, 'Model of panic devices: hyperv, isa or pvpanic.'),
    preferredRng: optional(Rng, 'A source of random numbers from the host.'),
    preferredSoundModel: optional(string, 'Model of the sound card: ich9 or ac97.'),
    preferredTPM: optional(TPMDevice, 'An emulated Trusted Platform Module (TPM) to attach.'),
    preferredUseVirtioTransitional: optional(boolean, 'Whether virtio devices speak the old protocol too.'),
    preferredVideoType: optional(string, 'Type of the graphics card, such as virtio or vga.'),
    preferredVirtualGPUOptions: optional(VGPUOptions, 'Options for virtual GPUs.'),
  },
);
export interface DevicePreferences extends Infer<typeof DevicePreferences> {}
