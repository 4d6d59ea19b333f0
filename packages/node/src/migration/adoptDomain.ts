import { descendants, el, parseXml, select, writeXml, type XmlElement } from '@vireo/hypervisor/xml.ts';
import { aliasOf, sliceBytes, sliced } from './domainDisks.ts';

/**
 * The domain of a guest that comes from another node. What the guest sees is as it is there, so that it can go on: devices
 * in their order, at their addresses, with what was plugged in. Everything that is of the host is this node's own, as it
 * would be if the guest was started here: what another node says never names a file, a device or a program of this one.
 *
 * `own`: the domain that this node would start. `theirs`: the domain as it runs. `firmware`: the file that this node has
 * UEFI in, for guests that have it. Throws where they cannot be one guest.
 */
export function adoptDomain(own: string, theirs: string, firmware?: string): string {
  const [ours, running] = [parseXml(own), parseXml(theirs)];
  for (const name of ['name', 'uuid']) {
    const [wanted, found] = [textOf(ours, name), textOf(running, name)];
    if (wanted !== found) throw new Error(`the domain that comes has the ${name} ${found} instead of ${wanted}`);
  }
  const guest = elements(running).filter(({ name }) => GUEST_ELEMENTS.has(name));
  const host = elements(ours).filter(({ name }) => !GUEST_ELEMENTS.has(name) && !['devices', 'os'].includes(name));
  const [early, late] = [host.filter(({ name }) => EARLY.has(name)), host.filter(({ name }) => !EARLY.has(name))];
  const children = [...early, ...guest, osOf(ours, running, firmware), devicesOf(ours, running), ...late];
  return writeXml({ ...ours, children });
}

/** What of a domain is the guest's, and names nothing of its host. */
const GUEST_ELEMENTS = new Set([
  'maxMemory',
  'memory',
  'currentMemory',
  'vcpu',
  'vcpus',
  'iothreads',
  'iothreadids',
  'features',
  'cpu',
  'clock',
  'on_poweroff',
  'on_reboot',
  'on_crash',
  'pm',
]);
const EARLY = new Set(['name', 'uuid', 'metadata']);

/** Devices that are nothing of the host: the guest has them as they are. */
const GUEST_DEVICES = new Set([
  'controller',
  'input',
  'video',
  'memballoon',
  'memory',
  'watchdog',
  'sound',
  'panic',
  'audio',
  'vsock',
]);
/** Devices with something of the host behind them, and what tells which one of ours is the same. */
const HOST_DEVICES: Readonly<Record<string, 'alias' | 'order'>> = {
  disk: 'alias',
  interface: 'alias',
  serial: 'order',
  console: 'order',
  channel: 'order',
  graphics: 'order',
  rng: 'order',
  tpm: 'order',
  redirdev: 'order',
};
/** Devices that libvirt adds to what it is told: the twin of a serial console. */
const ADDED = new Set(['console']);

const elements = ({ children }: XmlElement): XmlElement[] => children.filter((child) => typeof child !== 'string');

const textOf = (domain: XmlElement, name: string): string =>
  (select(domain, name)[0]?.children ?? []).filter((child) => typeof child === 'string').join('');

/** The machine type has a version, which the guest keeps; a node may have another by default. */
function osOf(ours: XmlElement, running: XmlElement, firmware: string | undefined): XmlElement {
  const found = select(ours, 'os')[0];
  const machine = select(running, 'os/type')[0]?.attributes.machine;
  if (!found) throw new Error('the domain has no <os>');
  const loader = select(running, 'os/loader')[0];
  const os = loader ? withLoader(found, loader, firmware) : found;
  const children = os.children.map((child) =>
    typeof child !== 'string' && child.name === 'type' && machine
      ? { ...child, attributes: { ...child.attributes, machine } }
      : child,
  );
  return { ...os, children };
}

/** libvirt chooses firmware for a guest that starts; for one that comes, it has to be told. */
function withLoader(os: XmlElement, { attributes }: XmlElement, firmware: string | undefined): XmlElement {
  if (firmware === undefined) throw new Error('this node has no UEFI firmware such as the guest has');
  const { readonly, type, secure } = attributes;
  const { firmware: _, ...rest } = os.attributes;
  const children = os.children.filter(
    (child) => typeof child === 'string' || !['firmware', 'loader'].includes(child.name),
  );
  return { ...os, attributes: rest, children: [...children, el('loader', { readonly, type, secure }, firmware)] };
}

function devicesOf(ours: XmlElement, running: XmlElement): XmlElement {
  const own = select(ours, 'devices').flatMap(elements);
  const theirs = select(running, 'devices').flatMap(elements);
  const seen = new Map<string, number>();
  const devices = theirs.flatMap((device) => {
    const { name } = device;
    if (name === 'emulator') return [];
    if (GUEST_DEVICES.has(name)) return [guestDevice(device)];
    const by = HOST_DEVICES[name];
    if (!by) throw new Error(`a guest with a device <${name}> cannot come from another node`);
    const index = seen.get(name) ?? 0;
    seen.set(name, index + 1);
    const found =
      by === 'alias'
        ? own.find((each) => each.name === name && aliasOf(each) === aliasOf(device))
        : own.filter((each) => each.name === name)[index];
    if (found) return [name === 'disk' ? diskOf(found, device) : withPlace(found, device, 'mtu')];
    if (ADDED.has(name)) return [];
    throw new Error(`this node has nothing for <${name}> ${aliasOf(device) ?? index} of the guest`);
  });
  return { name: 'devices', attributes: {}, children: [...own.filter(({ name }) => name === 'emulator'), ...devices] };
}

/** Attributes and elements by which devices lead to something of the host. */
const OF_HOST = new Set(['source', 'backend', 'path', 'file', 'dev', 'dir', 'socket']);

/** A device that is the guest's alone must not lead to anything of the host. */
function guestDevice(device: XmlElement): XmlElement {
  const all = [device, ...descendants(device)];
  const leads = all
    .flatMap(({ name, attributes }) => [name, ...Object.keys(attributes)])
    .find((name) => OF_HOST.has(name));
  if (leads) throw new Error(`a guest whose <${device.name}> has a ${leads} cannot come from another node`);
  return device;
}

/** One of our devices in the place that the guest knows it at. */
function withPlace(own: XmlElement, theirs: XmlElement, ...places: string[]): XmlElement {
  const kept = ['address', 'alias', ...places];
  const taken = elements(theirs).filter(({ name }) => kept.includes(name));
  const replaced = new Set(taken.map(({ name }) => name));
  const rest = own.children.filter((child) => typeof child === 'string' || !replaced.has(child.name));
  return { ...own, children: [...rest, ...taken] };
}

/** A disk that came to a larger volume before keeps the size that the guest knows. */
function withSlices(own: XmlElement, theirs: XmlElement): XmlElement {
  const bytes = sliceBytes(theirs);
  return bytes === undefined ? own : sliced(own, bytes);
}

/** A disk keeps the name that libvirt has for it; a drive that is empty there stays empty. */
function diskOf(own: XmlElement, theirs: XmlElement): XmlElement {
  const isEmpty = !select(theirs, 'source').some(({ attributes: { file, dev } }) => file ?? dev);
  const disk = withSlices(withPlace(own, theirs, 'target'), theirs);
  if (own.attributes.device !== 'cdrom' || !isEmpty) return disk;
  return { ...disk, children: disk.children.filter((child) => typeof child === 'string' || child.name !== 'source') };
}
