import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import { vcpuCount } from '../domainSpec.ts';
import { el, type XmlElement } from '../xml.ts';
import type { NetworkBackend } from './context.ts';
import {
  type Conversion,
  oneOf,
  pciNumbers,
  pciPlace,
  type Topic,
  userAlias,
  virtioModel,
  wholeNumber,
} from './conversion.ts';
import { ConversionError } from './error.ts';

const MODELS = ['virtio', 'e1000', 'e1000e', 'igb', 'ne2k_pci', 'pcnet', 'rtl8139'] as const;
const MAC = /^[\da-f]{2}([:-][\da-f]{2}){5}$/i;

/** Network cards; one that is to be absent is left out. */
export const interfaces: Topic = (conversion) =>
  (conversion.devices.interfaces ?? []).flatMap((card, index) =>
    card.state === 'absent' ? [] : [interfaceElement(conversion, card, `spec.domain.devices.interfaces[${index}]`)],
  );

function interfaceElement(conversion: Conversion, card: Interface, field: string): XmlElement {
  const { context } = conversion;
  const backend = Object.hasOwn(context.interfaces, card.name) ? context.interfaces[card.name] : undefined;
  if (!backend)
    throw new ConversionError(`${field}.name`, `this node has not connected ${JSON.stringify(card.name)} to a network`);
  const model = modelName(conversion, card, field);
  const mac = macAddress(card, backend, field);
  return el(
    'interface',
    { type: TYPES[backend.kind], managed: backend.kind === 'vfio' ? 'no' : undefined },
    ...backendElements(backend, field),
    mac !== undefined && el('mac', { address: mac }),
    backend.kind !== 'vfio' && el('model', { type: model }),
    queues(conversion, backend, card),
    backend.mtu !== undefined && el('mtu', { size: backend.mtu }),
    card.state === 'down' && el('link', { state: 'down' }),
    card.bootOrder
      ? el('boot', { order: wholeNumber(card.bootOrder, 1, 2 ** 31 - 1, `${field}.bootOrder`) })
      : undefined,
    // Network boot costs seconds at every start; only those who ask for it pay.
    !card.bootOrder && el('rom', { enabled: 'no' }),
    userAlias(card.name, `${field}.name`),
    card.acpiIndex !== undefined && el('acpi', { index: wholeNumber(card.acpiIndex, 1, 16383, `${field}.acpiIndex`) }),
    pciPlace(card.pciAddress, `${field}.pciAddress`),
  );
}

const TYPES: Readonly<Record<NetworkBackend['kind'], string>> = {
  user: 'user',
  passt: 'user',
  tap: 'ethernet',
  bridge: 'bridge',
  vfio: 'hostdev',
};

function backendElements(backend: NetworkBackend, field: string): XmlElement[] {
  switch (backend.kind) {
    case 'user':
      return [];
    case 'tap':
      // The node made the device; libvirt is neither to make it nor to remove it.
      return [el('target', { dev: backend.device, managed: 'no' })];
    case 'bridge':
      return [el('source', { bridge: backend.bridge })];
    case 'vfio':
      return [
        el('source', {}, el('address', { type: 'pci', ...pciNumbers(backend.pciAddress, `${field}.sriov`) })),
        el('driver', { name: 'vfio' }),
      ];
    case 'passt':
      return [el('backend', { type: 'passt', logFile: backend.logFile }), ...(backend.forwards ?? []).map(forward)];
  }
}

const forward = ({ protocol, address, ranges }: { protocol: string; address?: string; ranges: readonly Range[] }) =>
  el('portForward', { proto: protocol, address }, ...ranges.map((range) => el('range', { ...range })));

interface Range {
  readonly start: number;
  readonly end?: number;
  readonly to?: number;
}

function modelName(conversion: Conversion, card: Interface, field: string): string {
  const model = oneOf(card.model || 'virtio', MODELS, `${field}.model`);
  if (model === 'igb')
    throw new ConversionError(`${field}.model`, 'this QEMU does not emulate igb; use virtio or e1000e');
  return model === 'virtio' ? virtioModel(conversion) : model;
}

function macAddress(card: Interface, backend: NetworkBackend, field: string): string | undefined {
  const mac = card.macAddress || backend.mac;
  if (mac === undefined) return undefined;
  if (!MAC.test(mac)) throw new ConversionError(`${field}.macAddress`, `${JSON.stringify(mac)} is not a MAC address`);
  const text = mac.replaceAll('-', ':').toLowerCase();
  if (Number.parseInt(text.slice(0, 2), 16) & 1) {
    throw new ConversionError(
      `${field}.macAddress`,
      `${text} is a multicast address; an interface needs a unicast address`,
    );
  }
  return text;
}

/** How many queues a card has where the kernel serves it: one for every processor, if the VMI asks for that. */
export function interfaceQueues(domain: Conversion['domain'], { model }: Pick<Interface, 'model'>): number {
  const isVirtio = !model || model === 'virtio';
  return domain.devices.networkInterfaceMultiqueue && isVirtio ? Math.min(256, vcpuCount(domain)) : 1;
}

/** Only the kernel's own virtio backend can serve several queues. */
function queues({ domain }: Conversion, backend: NetworkBackend, card: Interface): XmlElement | undefined {
  const count = interfaceQueues(domain, card);
  if (!['tap', 'bridge'].includes(backend.kind) || count < 2) return undefined;
  return el('driver', { name: 'vhost', queues: count });
}
