import type { Devices } from '@vireo/api/kinds/kubevirt/devices.ts';
import type { DomainSpec } from '@vireo/api/kinds/kubevirt/domain.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Architecture } from '../architecture.ts';
import { el, type XmlElement } from '../xml.ts';
import type { ConverterContext } from './context.ts';
import { ConversionError } from './error.ts';

/** The parts of a domain before its devices. The order is part of the result: same VMI and context, same text. */
export const DOMAIN_TOPICS = [
  'identity',
  'memory',
  'vcpus',
  'ioThreadCount',
  'cpuPinning',
  'sysinfo',
  'os',
  'features',
  'cpu',
  'clock',
  'lifecycle',
] as const;

/** The devices of a domain, in their order; controllers follow from them. */
export const DEVICE_TOPICS = [
  'disks',
  'filesystems',
  'interfaces',
  'hostDevices',
  'serial',
  'agentChannel',
  'metricsChannel',
  'inputs',
  'tpm',
  'graphics',
  'video',
  'sound',
  'usbRedirection',
  'watchdog',
  'balloon',
  'rng',
  'panic',
  'vsock',
] as const;

/** Devices that a guest gets while it runs, and not before. */
export const PLUGGED_TOPICS = ['memoryDevice'] as const;

/** What comes after the devices. */
export const LAST_TOPICS = ['launchSecurity', 'securityLabel', 'guestUuid'] as const;

export type TopicName = (
  | typeof DOMAIN_TOPICS
  | typeof DEVICE_TOPICS
  | typeof PLUGGED_TOPICS
  | typeof LAST_TOPICS
)[number];

/** The third contract of a hypervisor: where its domains differ from everyone's. */
export interface HypervisorConverter {
  /** `<domain type=…>`. */
  readonly domainType: string;
  /** Whether guests run on the host's processor, and so can be given its model and KVM's and Hyper-V's interfaces. */
  readonly isAccelerated: boolean;
  /** Parts that it makes in another way; each is handed the common one, to start from. */
  readonly overrides?: Readonly<Partial<Record<TopicName, TopicOverride>>>;
  /** Changes of the finished tree, one after the other in this order. */
  readonly mutators?: readonly DomainMutator[];
}

export type TopicOverride = (conversion: Conversion, base: Topic) => readonly XmlElement[];

export type DomainMutator = (domain: XmlElement, conversion: Conversion) => XmlElement;

/** One VMI on its way to a domain: what every topic reads. */
export interface Conversion {
  readonly vmi: VirtualMachineInstance;
  readonly domain: DomainSpec;
  readonly devices: Devices;
  readonly context: ConverterContext;
  readonly architecture: Architecture;
  readonly machine: string;
  readonly hypervisor: HypervisorConverter;
}

/** A part of the domain: a pure function from the VMI to elements. */
export type Topic = (conversion: Conversion) => readonly XmlElement[];

/** The form of virtio that the guest is offered; VMIs without PCI know only one. */
export function virtioModel({ architecture, devices }: Conversion): string {
  if (architecture === 's390x') return 'virtio';
  return devices.useVirtioTransitional ? 'virtio-transitional' : 'virtio-non-transitional';
}

/** libvirt's name for a device of the user's: how the node finds it again. */
export function userAlias(name: string, field: string): XmlElement {
  if (!/^[A-Za-z0-9_-]+$/.test(name)) {
    throw new ConversionError(
      field,
      `${JSON.stringify(name)} may only contain letters, digits, dashes and underscores`,
    );
  }
  return el('alias', { name: `ua-${name}` });
}

const PCI_ADDRESS = /^(?:([\da-f]{4}):)?([\da-f]{2}):([01][\da-f])\.([0-7])$/i;

/** The four numbers of an address such as `0000:81:01.0`, as libvirt's attributes. */
export function pciNumbers(address: string, field: string): Record<string, string> {
  const match = PCI_ADDRESS.exec(address);
  if (!match) throw new ConversionError(field, `${JSON.stringify(address)} is not a PCI address such as 0000:81:01.0`);
  const [, domain = '0000', bus, slot, fn] = match;
  return { domain: `0x${domain}`, bus: `0x${bus}`, slot: `0x${slot}`, function: `0x${fn}` };
}

/** Where the guest finds the device on its PCI bus, if the user said. */
export const pciPlace = (address: string | undefined, field: string): XmlElement | undefined =>
  address ? el('address', { type: 'pci', ...pciNumbers(address, field) }) : undefined;

/** A value out of a short list. */
export function oneOf<const V extends string>(value: string, values: readonly V[], field: string): V {
  const found = values.find((known) => known === value);
  if (!found) throw new ConversionError(field, `${JSON.stringify(value)} is not one of ${values.join(', ')}`);
  return found;
}

/** A whole number within bounds. */
export function wholeNumber(value: number, least: number, most: number, field: string): number {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new ConversionError(field, `${value} is not a whole number from ${least} to ${most}`);
  }
  return value;
}

/** FeatureState's rule: present means on, unless it says otherwise. */
export const isEnabled = (state: { enabled?: boolean } | undefined): boolean =>
  state !== undefined && state.enabled !== false;
