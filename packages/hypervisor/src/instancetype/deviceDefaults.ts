import type { DevicePreferences } from '@vireo/api/kinds/instancetype/devicePreferences.ts';
import type { Devices, Input } from '@vireo/api/kinds/kubevirt/devices.ts';
import type { Disk } from '@vireo/api/kinds/kubevirt/disk.ts';
import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { either, omitUndefined } from './fill.ts';

type Spec = VirtualMachineInstanceSpec;

const withDevices = (spec: Spec, devices: Devices): Spec => ({ ...spec, domain: { ...spec.domain, devices } });

/** Which devices are added by themselves: to be known before any is. */
export function preferAutoattach(spec: Spec, preferred: DevicePreferences | undefined): Spec {
  if (!preferred) return spec;
  const { devices } = spec.domain;
  const filled = {
    ...devices,
    ...omitUndefined({
      autoattachGraphicsDevice: either(devices.autoattachGraphicsDevice, preferred.preferredAutoattachGraphicsDevice),
      autoattachInputDevice: either(devices.autoattachInputDevice, preferred.preferredAutoattachInputDevice),
      autoattachMemBalloon: either(devices.autoattachMemBalloon, preferred.preferredAutoattachMemBalloon),
      autoattachPodInterface: either(devices.autoattachPodInterface, preferred.preferredAutoattachPodInterface),
      autoattachSerialConsole: either(devices.autoattachSerialConsole, preferred.preferredAutoattachSerialConsole),
    }),
  };
  return withDevices(spec, filled.autoattachInputDevice ? { ...filled, ...firstInput(filled, preferred) } : filled);
}

/** The input device that is added where there is none has the preferred bus and type from the start. */
const firstInput = ({ inputs }: Devices, preferred: DevicePreferences): Pick<Devices, 'inputs'> =>
  inputs?.length
    ? {}
    : {
        inputs: [
          {
            name: 'default-0',
            bus: preferred.preferredInputBus || 'usb',
            type: preferred.preferredInputType || 'tablet',
          },
        ],
      };

/** The devices of a VM with what it leaves open as preferred. */
export function preferDevices(spec: Spec, preferred: DevicePreferences | undefined): Spec {
  if (!preferred) return spec;
  const { devices } = spec.domain;
  const hasScreen = devices.autoattachGraphicsDevice !== false;
  const video = hasScreen && preferred.preferredVideoType ? { type: preferred.preferredVideoType } : undefined;
  return withDevices(spec, {
    ...devices,
    ...omitUndefined({
      blockMultiQueue: either(devices.blockMultiQueue, preferred.preferredBlockMultiQueue),
      disableHotplug: either(devices.disableHotplug, preferred.preferredDisableHotplug),
      disks: devices.disks?.map((disk) => preferDisk(disk, preferred)),
      gpus: devices.gpus?.map((gpu) => ({
        ...gpu,
        ...omitUndefined({ virtualGPUOptions: either(gpu.virtualGPUOptions, preferred.preferredVirtualGPUOptions) }),
      })),
      inputs: devices.inputs?.map((input) => preferInput(input, preferred)),
      interfaces: devices.interfaces?.map((card) => preferInterface(card, spec, preferred)),
      networkInterfaceMultiqueue: either(
        devices.networkInterfaceMultiqueue,
        preferred.preferredNetworkInterfaceMultiQueue,
      ),
      panicDevices: preferPanicDevices(devices.panicDevices, preferred.preferredPanicDeviceModel),
      rng: either(devices.rng, preferred.preferredRng),
      sound: devices.sound && {
        ...devices.sound,
        ...omitUndefined({ model: either(devices.sound.model, preferred.preferredSoundModel) }),
      },
      tpm: either(devices.tpm, preferred.preferredTPM),
      useVirtioTransitional: either(devices.useVirtioTransitional, preferred.preferredUseVirtioTransitional),
      video: either(devices.video, video),
    }),
  });
}

function preferDisk(disk: Disk, preferred: DevicePreferences): Disk {
  const { cdrom, lun } = disk;
  if (cdrom)
    return { ...disk, cdrom: { ...cdrom, ...omitUndefined({ bus: either(cdrom.bus, preferred.preferredCdromBus) }) } };
  if (lun) return { ...disk, lun: { ...lun, ...omitUndefined({ bus: either(lun.bus, preferred.preferredLunBus) }) } };
  const bus = either(disk.disk?.bus, preferred.preferredDiskBus);
  return {
    ...disk,
    disk: { ...disk.disk, ...omitUndefined({ bus }) },
    ...omitUndefined({
      blockSize: either(disk.blockSize, preferred.preferredDiskBlockSize),
      cache: either(disk.cache, preferred.preferredDiskCache),
      io: either(disk.io, preferred.preferredDiskIO),
      dedicatedIOThread: either(
        disk.dedicatedIOThread,
        bus === 'virtio' ? preferred.preferredDiskDedicatedIoThread : undefined,
      ),
    }),
  };
}

const preferInput = (input: Input, preferred: DevicePreferences): Input => ({
  ...input,
  type: input.type || preferred.preferredInputType || '',
  ...omitUndefined({ bus: either(input.bus, preferred.preferredInputBus) }),
});

/** The ways to join a network; a card with any of them has made up its mind. */
const BINDINGS = ['bridge', 'masquerade', 'sriov', 'passtBinding', 'binding', 'slirp', 'macvtap', 'passt'] as const;

function preferInterface(card: Interface, { networks = [] }: Spec, preferred: DevicePreferences): Interface {
  const isBound = BINDINGS.some((binding) => card[binding] !== undefined);
  const isOnPodNetwork = networks.some(({ name, pod }) => name === card.name && pod);
  return {
    ...card,
    ...omitUndefined({
      model: either(card.model, preferred.preferredInterfaceModel),
      masquerade: isBound || !isOnPodNetwork ? card.masquerade : preferred.preferredInterfaceMasquerade,
    }),
  };
}

function preferPanicDevices(own: Devices['panicDevices'], model: string | undefined): Devices['panicDevices'] {
  if (!model) return own;
  return own?.length ? own.map((device) => ({ ...device, model: device.model || model })) : [{ model }];
}
