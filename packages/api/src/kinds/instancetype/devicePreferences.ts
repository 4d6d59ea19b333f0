import { boolean, type Infer, string, struct } from '../../schema.ts';
import { optional } from '../customResource.ts';
import { Rng, TPMDevice } from '../kubevirt/devices.ts';
import { BlockSize } from '../kubevirt/disk.ts';
import { VGPUOptions } from '../kubevirt/hostDevice.ts';
import { InterfaceMasquerade } from '../kubevirt/interface.ts';

export const DevicePreferences = struct(
  'io.kubevirt.instancetype.v1beta1.DevicePreferences',
  'Preferences for devices. Each is used where the machine says nothing.',
  {
    preferredAutoattachGraphicsDevice: optional(boolean, 'Whether there is a screen.'),
    preferredAutoattachInputDevice: optional(boolean, 'Whether a tablet is added.'),
    preferredAutoattachMemBalloon: optional(boolean, 'Whether the guest can give memory back.'),
    preferredAutoattachPodInterface: optional(boolean, 'Whether a machine without interfaces gets one.'),
    preferredAutoattachSerialConsole: optional(boolean, 'Whether there is a serial console.'),
    preferredBlockMultiQueue: optional(boolean, 'Whether virtio disks have a queue for every processor.'),
    preferredCdromBus: optional(string, 'Bus of CD-ROM drives.'),
    preferredDisableHotplug: optional(boolean, 'Whether disks cannot be plugged in while the machine runs.'),
    preferredDiskBlockSize: optional(BlockSize, 'How large the guest sees the blocks of disks.'),
    preferredDiskBus: optional(string, 'Bus of disks.'),
    preferredDiskCache: optional(string, 'How the host caches disks.'),
    preferredDiskDedicatedIoThread: optional(boolean, 'Whether virtio disks have an I/O thread each.'),
    preferredDiskIO: optional(string, 'How the host does I/O for disks.'),
    preferredInputBus: optional(string, 'Bus of input devices.'),
    preferredInputType: optional(string, 'Type of input devices.'),
    preferredInterfaceMasquerade: optional(InterfaceMasquerade, "Whether interfaces hide behind the pod's address."),
    preferredInterfaceModel: optional(string, 'Model of network cards.'),
    preferredLunBus: optional(string, 'Bus of LUNs.'),
    preferredNetworkInterfaceMultiQueue: optional(
      boolean,
      'Whether virtio network cards have a queue for every processor.',
    ),
    preferredPanicDeviceModel: optional(string, 'Model of panic devices.'),
    preferredRng: optional(Rng, 'A source of random numbers from the host.'),
    preferredSoundModel: optional(string, 'Model of the sound card.'),
    preferredTPM: optional(TPMDevice, 'A trusted platform module.'),
    preferredUseVirtioTransitional: optional(boolean, 'Whether virtio devices speak the old protocol too.'),
    preferredVideoType: optional(string, 'Type of the graphics card.'),
    preferredVirtualGPUOptions: optional(VGPUOptions, 'Settings of virtual graphics cards.'),
  },
);
export interface DevicePreferences extends Infer<typeof DevicePreferences> {}
