import { parseXml, select, writeXml, type XmlElement } from '@vireo/hypervisor/xml.ts';

export const aliasOf = (device: XmlElement): string | undefined => select(device, 'alias')[0]?.attributes.name;

/** A disk of a domain that its guest writes to. */
export interface WritableDisk {
  /** The name that libvirt has for it, such as `vda`. */
  readonly target: string;
  readonly volume: string;
  /** Its file or device. */
  readonly path: string;
  /** How much of that the guest knows of, where it is not all. */
  readonly bytes?: number;
}

/** The disks of a domain that its guest writes to. */
export const writableDisks = (xml: string): WritableDisk[] =>
  select(parseXml(xml), 'devices/disk').flatMap((disk) => {
    const { file, dev } = select(disk, 'source')[0]?.attributes ?? {};
    const path = file ?? dev;
    const target = select(disk, 'target')[0]?.attributes.dev ?? '';
    const isReadOnly = disk.attributes.device === 'cdrom' || select(disk, 'readonly').length > 0;
    const bytes = sliceBytes(disk);
    return isReadOnly || path === undefined
      ? []
      : [{ target, volume: volumeOf(disk), path, ...(bytes !== undefined && { bytes }) }];
  });

/** The volume that a disk is of: the converter names disks by it. */
const volumeOf = (disk: XmlElement): string => (aliasOf(disk) ?? '').replace(/^ua-/, '');

/** The domain with only the first bytes of some disks, by volume: as many as the guest knows of. */
export function withDiskSizes(xml: string, sizes: ReadonlyMap<string, number>): string {
  const domain = parseXml(xml);
  const sized = (device: XmlElement): XmlElement => {
    const bytes = device.name === 'disk' ? sizes.get(volumeOf(device)) : undefined;
    return bytes === undefined ? device : sliced(device, bytes);
  };
  return writeXml(
    mapChildren(domain, 'devices', (devices) => ({
      ...devices,
      children: devices.children.map((child) => (typeof child === 'string' ? child : sized(child))),
    })),
  );
}

/** How many bytes of a disk are used; undefined for all of them. */
export function sliceBytes(disk: XmlElement): number | undefined {
  const bytes = Number(select(disk, 'source/slices/slice')[0]?.attributes.size);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

/** A disk of which only the first bytes are used. */
export function sliced(disk: XmlElement, bytes: number): XmlElement {
  const slice = { name: 'slice', attributes: { type: 'storage', offset: '0', size: String(bytes) }, children: [] };
  const slices = { name: 'slices', attributes: {}, children: [slice] };
  return mapChildren(disk, 'source', (source) => ({
    ...source,
    children: [...source.children.filter((child) => typeof child === 'string' || child.name !== 'slices'), slices],
  }));
}

const mapChildren = (of: XmlElement, name: string, change: (child: XmlElement) => XmlElement): XmlElement => ({
  ...of,
  children: of.children.map((child) => (typeof child !== 'string' && child.name === name ? change(child) : child)),
});
