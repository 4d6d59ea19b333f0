import { hasPcie } from '../architecture.ts';
import { guestMemoryBytes } from '../domainSpec.ts';
import { el, type XmlElement } from '../xml.ts';
import { type Conversion, virtioModel } from './conversion.ts';
import { ioThreads } from './iothreads.ts';
import { canGrow } from './memory.ts';
import { isOnRootComplex, placeOnRootComplex } from './rootComplex.ts';

const GIB = 1024n ** 3n;

/** Ports of a VMI and how many of them stay free for hotplug: KubeVirt's third PCI topology. */
const PORTS = { small: { total: 8, free: 3 }, large: { total: 16, free: 6 } } as const;

/** SCSI, USB and PCI controllers that the other devices, and those plugged in later, need. */
function controllers(conversion: Conversion, others: readonly XmlElement[]): XmlElement[] {
  const own = [...scsi(conversion, others), ...usb(others)];
  return [...own, ...rootPorts(conversion, [...others, ...own])];
}

/** The devices of a domain with their controllers. */
export function withControllers(conversion: Conversion, devices: readonly XmlElement[]): readonly XmlElement[] {
  const all = [...controllers(conversion, devices), ...devices];
  return isOnRootComplex(conversion) ? placeOnRootComplex(all, takesPort) : all;
}

/** Disks are hotplugged by SCSI, so the controller is there before there is a disk on it. */
function scsi(conversion: Conversion, others: readonly XmlElement[]): XmlElement[] {
  const isUsed = others.some((device) => targetOf(device)?.attributes.bus === 'scsi');
  if (!isUsed && conversion.devices.disableHotplug) return [];
  const hasThreads = ioThreads(conversion).count > 0;
  const model = virtioModel(conversion);
  return [
    el(
      'controller',
      // libvirt's one exception to its names of virtio.
      { type: 'scsi', index: 0, model: model === 'virtio' ? 'virtio-scsi' : model },
      hasThreads && el('driver', { iothread: 1 }),
    ),
  ];
}

function usb(others: readonly XmlElement[]): XmlElement[] {
  const isUsed = others.some(
    (device) =>
      device.attributes.bus === 'usb' ||
      targetOf(device)?.attributes.bus === 'usb' ||
      (device.name === 'hostdev' && device.attributes.type === 'usb'),
  );
  return [el('controller', { type: 'usb', index: 0, model: isUsed ? 'qemu-xhci' : 'none' })];
}

const targetOf = (device: XmlElement): XmlElement | undefined =>
  device.children.find((child): child is XmlElement => typeof child !== 'string' && child.name === 'target');

/** PCIe has no free slots by itself: each device, present or future, needs a port. */
function rootPorts(conversion: Conversion, devices: readonly XmlElement[]): XmlElement[] {
  if (!hasPcie(conversion.machine)) return [];
  const root = el('controller', { type: 'pci', index: 0, model: 'pcie-root' });
  if (isOnRootComplex(conversion)) return [root];
  const used = devices.filter(takesPort).length + (canGrow(conversion) ? 1 : 0);
  const isLarge = (guestMemoryBytes(conversion.domain) ?? 0n) > 2n * GIB;
  const { total, free } = isLarge ? PORTS.large : PORTS.small;
  const count = conversion.devices.disableHotplug ? used : Math.max(total, used + free);
  const ports = Array.from({ length: count }, (_, port) =>
    el('controller', { type: 'pci', index: port + 1, model: 'pcie-root-port' }),
  );
  return [root, ...ports];
}

/** Whether libvirt will put the device behind a port of its own. */
function takesPort({ name, attributes, children }: XmlElement): boolean {
  // Devices with a place of the user's choosing bring their own bus.
  if (children.some((child) => typeof child !== 'string' && child.name === 'address')) return false;
  switch (name) {
    case 'disk':
      return attributes.model !== undefined;
    case 'controller':
      return attributes.model !== 'none' && attributes.type !== 'pci';
    case 'hostdev':
      return attributes.type !== 'usb';
    case 'memballoon':
      return attributes.model !== 'none';
    case 'input':
      return attributes.bus === 'virtio';
    case 'interface':
    case 'rng':
    case 'vsock':
    case 'memory':
    case 'filesystem':
    case 'watchdog':
      return true;
    default:
      return false;
  }
}
