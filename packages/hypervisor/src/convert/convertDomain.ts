import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isArchitecture } from '../architecture.ts';
import { resolveConverter, resolveRuntime } from '../registries.ts';
import { el, isXmlText, writeXml, XmlCharacterError, type XmlElement } from '../xml.ts';
import { clock } from './clock.ts';
import { agentChannel, metricsChannel, serial } from './consoles.ts';
import type { ConverterContext } from './context.ts';
import { withControllers } from './controllers.ts';
import {
  type Conversion,
  DEVICE_TOPICS,
  DOMAIN_TOPICS,
  LAST_TOPICS,
  type Topic,
  type TopicName,
} from './conversion.ts';
import { cpu, vcpus } from './cpu.ts';
import { diskElement, disks, freeDevice, placeDisks } from './disks.ts';
import { graphics, inputs, video } from './display.ts';
import { ConversionError } from './error.ts';
import { features } from './features.ts';
import { filesystems } from './filesystems.ts';
import { lifecycle, machineType, os } from './firmware.ts';
import { hostDevices, usbRedirection } from './hostDevices.ts';
import { guestUuid, identity, QEMU_NAMESPACE, securityLabel, sysinfo } from './identity.ts';
import { interfaces } from './interfaces.ts';
import { ioThreadCount } from './iothreads.ts';
import { balloon, memory, memoryDevice } from './memory.ts';
import { cpuPinning } from './pinning.ts';
import { launchSecurity, panic, rng, sound, tpm, vsock, watchdog } from './smallDevices.ts';

/** How everyone makes the parts of a domain. */
export const TOPICS: Readonly<Record<TopicName, Topic>> = {
  identity,
  memory,
  vcpus,
  ioThreadCount,
  cpuPinning,
  sysinfo,
  os,
  features,
  cpu,
  clock,
  lifecycle,
  disks,
  filesystems,
  interfaces,
  hostDevices,
  serial,
  agentChannel,
  metricsChannel,
  inputs,
  tpm,
  graphics,
  video,
  sound,
  usbRedirection,
  watchdog,
  balloon,
  rng,
  panic,
  memoryDevice,
  vsock,
  launchSecurity,
  securityLabel,
  guestUuid,
};

/** Turns a VMI into a libvirt domain. Throws ConversionError, naming the field that stands in the way. */
export function convertDomain(vmi: VirtualMachineInstance, context: ConverterContext): string {
  const conversion = startConversion(vmi, context);
  const { hypervisor } = conversion;
  const parts = (names: readonly TopicName[]): XmlElement[] => names.flatMap((name) => part(name, conversion));
  const devices = parts(DEVICE_TOPICS);
  const domain = el(
    'domain',
    { type: hypervisor.domainType, 'xmlns:qemu': QEMU_NAMESPACE },
    ...parts(DOMAIN_TOPICS),
    el(
      'devices',
      {},
      context.emulator ? el('emulator', {}, context.emulator) : undefined,
      ...withControllers(conversion, devices),
    ),
    ...parts(LAST_TOPICS),
  );
  const changed = (hypervisor.mutators ?? []).reduce((tree, mutate) => mutate(tree, conversion), domain);
  const runtime = resolveRuntime(context.hypervisor, context.useEmulation, context.architecture);
  return write(runtime.handleHousekeeping?.(changed, vmi) ?? changed, vmi);
}

/** One part of the domain, as the hypervisor wants it. */
function part(name: TopicName, conversion: Conversion): readonly XmlElement[] {
  const override = conversion.hypervisor.overrides?.[name];
  return override ? override(conversion, TOPICS[name]) : TOPICS[name](conversion);
}

/**
 * One disk of the VMI, to attach, detach or (a CD-ROM) change the medium of. `taken` are the device names of a VMI
 * that runs: what comes and goes leaves gaps, so that the place in the spec no longer tells the name.
 */
export function convertDisk(
  vmi: VirtualMachineInstance,
  diskName: string,
  context: ConverterContext,
  taken?: readonly string[],
): string {
  const conversion = startConversion(vmi, context);
  const placed = placeDisks(conversion).find(({ disk }) => disk.name === diskName);
  if (!placed) throw new ConversionError('spec.domain.devices.disks', `there is no disk ${JSON.stringify(diskName)}`);
  const device = taken ? freeDevice(placed.bus, taken) : placed.device;
  return write(diskElement(conversion, { ...placed, device }), vmi);
}

/** One network card of the VMI, to attach. Its PCI port is libvirt's choice, unless the VMI names one. */
export function convertInterface(vmi: VirtualMachineInstance, name: string, context: ConverterContext): string {
  const { domain } = vmi.spec;
  // As if all others were unplugged: fields keep their places, and the hypervisor has its say.
  const cards = (domain.devices?.interfaces ?? []).map((card) =>
    card.name === name ? card : { ...card, state: 'absent' },
  );
  const alone = { ...vmi.spec, domain: { ...domain, devices: { ...domain.devices, interfaces: cards } } };
  const [card] = part('interfaces', startConversion({ ...vmi, spec: alone }, context));
  if (!card)
    throw new ConversionError('spec.domain.devices.interfaces', `there is no interface ${JSON.stringify(name)}`);
  return write(card, vmi);
}

/** The device through which the VMI gets as much memory as its spec says, to attach. */
export function convertMemoryDevice(vmi: VirtualMachineInstance, context: ConverterContext): string {
  const [device] = part('memoryDevice', startConversion(vmi, context));
  if (!device) throw new ConversionError('spec.domain.memory.maxGuest', 'the guest has no room for more memory');
  return write(device, vmi);
}

function startConversion(vmi: VirtualMachineInstance, context: ConverterContext): Conversion {
  const { domain } = vmi.spec;
  const { architecture } = context;
  if (!isArchitecture(architecture)) {
    throw new ConversionError('spec.architecture', `${JSON.stringify(architecture)} is not a supported architecture`);
  }
  const asked = vmi.spec.architecture;
  if (asked && asked !== architecture) {
    throw new ConversionError('spec.architecture', `the VMI requires ${asked}, but the node is ${architecture}`);
  }
  return {
    vmi,
    domain,
    devices: domain.devices ?? {},
    context,
    architecture,
    machine: machineType({ architecture, domain }),
    hypervisor: resolveConverter(context.hypervisor, context.useEmulation, architecture),
  };
}

function write(element: XmlElement, vmi: VirtualMachineInstance): string {
  try {
    return writeXml(element);
  } catch (error) {
    if (!(error instanceof XmlCharacterError)) throw error;
    const at = ['metadata', 'spec'].map((key) => fieldWithText(vmi[key as 'spec'], key, error.value)).find(Boolean);
    throw new ConversionError(
      at ?? 'spec',
      `${JSON.stringify(error.value)} has a character that libvirt does not accept`,
    );
  }
}

/** The field whose text ended up in `text`. */
function fieldWithText(value: unknown, path: string, text: string): string | undefined {
  if (typeof value === 'string') return value !== '' && !isXmlText(value) && text.includes(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = fieldWithText(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, text);
    if (found) return found;
  }
  return undefined;
}
