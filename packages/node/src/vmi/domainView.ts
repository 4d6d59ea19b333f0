import { type DiskSource, GUEST_AGENT_CHANNEL, MEMORY_ALIAS } from '@vireo/hypervisor';
import { descendants, el, parseXml, select, writeXml, type XmlElement } from '@vireo/hypervisor/xml.ts';
import { sliceBytes } from '../migration/domainDisks.ts';

/** What libvirt's description of a domain tells beyond its state. */
export interface DomainView {
  /** As QEMU knows it, with its version: `pc-q35-7.2`. */
  readonly machineType: string | undefined;
  /** Device names such as `vda`, by the disk's name in the spec. */
  readonly diskTargets: Readonly<Record<string, string>>;
  /**
   * The files or devices of which the guest has only the first bytes, by the disk's name in the spec: it has come to a
   * larger claim. QEMU cannot make such a disk larger. Missing without any.
   */
  readonly slicedDisks?: Readonly<Record<string, string>>;
  /** The CD-ROM drives, by the disk's name in the spec. */
  readonly drives: Readonly<Record<string, DriveView>>;
  /** By the interface's name in the spec. */
  readonly interfaces: Readonly<Record<string, InterfaceView>>;
  /** The directories that it shares by virtiofs, by the names that the guest mounts them by; missing without any. */
  readonly filesystems?: readonly string[];
  /** Whether the guest's agent has opened its channel. */
  readonly isAgentConnected: boolean;
  /** Virtual CPUs that the guest has now; missing where libvirt does not say. */
  readonly vcpuCount?: number;
  /** The device through which it has more memory than at boot; missing where it has none. */
  readonly memory?: MemoryView;
}

export interface MemoryView {
  /** What the guest was told to use. */
  readonly requestedBytes: number;
  /** What it uses. */
  readonly currentBytes: number;
}

export interface DriveView {
  /** `sda`: the drive's name in libvirt. */
  readonly target: string;
  readonly isTrayOpen: boolean;
  /** The file or device that is in it; undefined while it is empty. */
  readonly source: string | undefined;
}

export interface InterfaceView {
  readonly mac: string;
  /** The host's device behind it; missing where the traffic goes through QEMU itself. */
  readonly device?: string;
  /** The device is one that the node has made, not libvirt. */
  readonly isDeviceOfNode?: true;
  /** The bridge that libvirt has joined it to; missing where it is no such card. */
  readonly bridge?: string;
  readonly linkState: 'up' | 'down';
  /** 0 for models without queues of their own. */
  readonly queueCount: number;
}

/** Reads what libvirt wrote. Devices of the spec are found by the aliases that they were given. */
export function domainView(xml: string): DomainView {
  const domain = parseXml(xml);
  const disks = namedDevices(domain, 'disk');
  const drives = disks.filter(([, { attributes }]) => attributes.device === 'cdrom');
  const sliced = disks.filter(([, disk]) => sliceBytes(disk) !== undefined);
  const interfaces = namedDevices(domain, 'interface');
  const shared = select(domain, 'devices/filesystem').map((each) => attribute(each, 'target', 'dir') ?? '');
  const [type] = select(domain, 'os/type');
  const [vcpu] = select(domain, 'vcpu');
  const vcpuCount = Number(vcpu?.attributes.current ?? textOf(vcpu));
  const device = memoryDevice(domain, MEMORY_ALIAS);
  return {
    machineType: type?.attributes.machine,
    diskTargets: Object.fromEntries(disks.map(([name, disk]) => [name, attribute(disk, 'target', 'dev') ?? ''])),
    ...(sliced.length > 0 && {
      slicedDisks: Object.fromEntries(sliced.map(([name, disk]) => [name, diskSource(disk) ?? ''])),
    }),
    drives: Object.fromEntries(drives.map(([name, drive]) => [name, driveView(drive)])),
    interfaces: Object.fromEntries(interfaces.map(([name, iface]) => [name, interfaceView(iface)])),
    ...(shared.length > 0 && { filesystems: shared }),
    isAgentConnected: select(domain, 'devices/channel/target').some(
      ({ attributes: { name, state } }) => name === GUEST_AGENT_CHANNEL && state === 'connected',
    ),
    ...(vcpuCount > 0 && { vcpuCount }),
    ...(device && {
      memory: { requestedBytes: sizeOf(device, 'requested'), currentBytes: sizeOf(device, 'current') },
    }),
  };
}

const textOf = (element: XmlElement | undefined): string =>
  (element?.children ?? []).filter((child) => typeof child === 'string').join('');

const memoryDevice = (domain: XmlElement, alias: string): XmlElement | undefined =>
  select(domain, 'devices/memory').find((device) => attribute(device, 'alias', 'name') === alias);

/** libvirt writes sizes in KiB. */
const sizeOf = (device: XmlElement, name: string): number => Number(textOf(select(device, `target/${name}`)[0])) * 1024;

/** The device through which a guest has more memory than at boot, as libvirt describes it. */
export const findMemoryDevice = (xml: string, alias: string): XmlElement | undefined =>
  memoryDevice(parseXml(xml), alias);

/** The XML that tells a guest to use another amount of memory: all else has to be as it is. */
export const memoryDeviceXml = (device: XmlElement, requestedBytes: number): string =>
  writeXml({
    ...device,
    children: device.children.map((child) =>
      typeof child !== 'string' && child.name === 'target'
        ? {
            ...child,
            children: [
              ...childrenWithout(child, 'requested', 'current'),
              el('requested', { unit: 'b' }, String(requestedBytes)),
            ],
          }
        : child,
    ),
  });

const driveView = (drive: XmlElement): DriveView => ({
  target: attribute(drive, 'target', 'dev') ?? '',
  isTrayOpen: attribute(drive, 'target', 'tray') === 'open',
  source: diskSource(drive),
});

function interfaceView(iface: XmlElement): InterfaceView {
  const isVirtio = attribute(iface, 'model', 'type')?.startsWith('virtio');
  const bridge = attribute(iface, 'source', 'bridge');
  return {
    mac: attribute(iface, 'mac', 'address') ?? '',
    device: attribute(iface, 'target', 'dev'),
    ...(iface.attributes.type === 'ethernet' && { isDeviceOfNode: true }),
    ...(bridge !== undefined && { bridge }),
    linkState: attribute(iface, 'link', 'state') === 'down' ? 'down' : 'up',
    queueCount: isVirtio ? Number(attribute(iface, 'driver', 'queues') ?? 1) : 0,
  };
}

/** A device of the spec as libvirt describes it; undefined where the domain has none of that name. */
export const findDevice = (xml: string, kind: 'disk' | 'interface', name: string): XmlElement | undefined =>
  new Map(namedDevices(parseXml(xml), kind)).get(name);

/** The file or device that a disk is on; undefined where it has none. */
export const diskSource = (disk: XmlElement): string | undefined =>
  attribute(disk, 'source', 'file') || attribute(disk, 'source', 'dev') || undefined;

/** The files and devices of the disks of a domain, by libvirt's names for the disks: `vda`. */
export const diskPaths = (xml: string): ReadonlyMap<string, string> =>
  new Map(
    select(parseXml(xml), 'devices/disk').flatMap((disk) => {
      const [target, path] = [attribute(disk, 'target', 'dev'), diskSource(disk)];
      return target && path ? [[target, path] as const] : [];
    }),
  );

/** What QEMU has open for the disks of a domain: the numbers that libvirt gave the images, and their files and devices. */
export function usedStorage(xml: string): { readonly indexes: Set<string>; readonly paths: Set<string> } {
  const layers = select(parseXml(xml), 'devices/disk')
    .flatMap(descendants)
    .filter(({ name }) => ['source', 'backingStore', 'mirror'].includes(name));
  return {
    indexes: new Set(layers.flatMap(({ attributes }) => attributes.index ?? [])),
    paths: new Set(layers.flatMap(({ attributes: { file, dev } }) => file ?? dev ?? [])),
  };
}

/** The XML that changes an interface to another state of its link: all else has to be as it is. */
export const interfaceXml = (iface: XmlElement, link: InterfaceView['linkState']): string =>
  writeXml({ ...iface, children: [...childrenWithout(iface, 'link'), el('link', { state: link })] });

/** The XML that moves an interface to another bridge: all else has to be as it is. */
export const movedInterfaceXml = (iface: XmlElement, bridge: string): string =>
  writeXml({ ...iface, children: [el('source', { bridge }), ...childrenWithout(iface, 'source')] });

/** The XML that gives a CD-ROM drive another medium, or none: all else has to be as it is. */
export function driveXml(drive: XmlElement, medium: DiskSource | undefined): string {
  const { kind = 'file', path } = medium ?? {};
  const source = path === undefined ? [] : [el('source', { [kind === 'file' ? 'file' : 'dev']: path })];
  const children = [...source, ...childrenWithout(drive, 'source', 'backingStore')];
  return writeXml({ ...drive, attributes: { ...drive.attributes, type: kind }, children });
}

const childrenWithout = ({ children }: XmlElement, ...names: string[]): XmlElement['children'] =>
  children.filter((child) => typeof child === 'string' || !names.includes(child.name));

const attribute = (device: XmlElement, child: string, name: string): string | undefined =>
  select(device, child)[0]?.attributes[name];

/** The devices of a kind that the spec has, by their names there. */
const namedDevices = (domain: XmlElement, kind: string): [name: string, device: XmlElement][] =>
  select(domain, `devices/${kind}`).flatMap((device) => {
    const alias = attribute(device, 'alias', 'name');
    return alias?.startsWith('ua-') ? [[alias.slice('ua-'.length), device] as [string, XmlElement]] : [];
  });
