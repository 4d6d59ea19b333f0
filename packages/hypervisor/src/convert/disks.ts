import type { Disk } from '@vireo/api/kinds/kubevirt/disk.ts';
import { vcpuCount } from '../domainSpec.ts';
import { el, type XmlElement } from '../xml.ts';
import { bootOrders } from './bootOrder.ts';
import type { DiskSource } from './context.ts';
import { type Conversion, oneOf, pciPlace, type Topic, userAlias, virtioModel } from './conversion.ts';
import { blockIo, driver } from './diskDriver.ts';
import { ConversionError } from './error.ts';
import { ioThreads } from './iothreads.ts';

const PREFIXES = { virtio: 'vd', sata: 'sd', scsi: 'sd', usb: 'sd' } as const;
export type DiskBus = keyof typeof PREFIXES;
const BUSES = Object.keys(PREFIXES) as DiskBus[];

/** A disk of the spec with everything that follows from its place in the list. */
export interface PlacedDisk {
  readonly disk: Disk;
  readonly field: string;
  readonly kind: 'disk' | 'cdrom' | 'lun';
  readonly bus: DiskBus;
  /** `vda`, `sdb`: its name in libvirt. */
  readonly device: string;
  /** Missing: an empty drive, or a disk that is plugged in later. */
  readonly source?: DiskSource;
}

/** Every disk of the VMI with its kind, bus and device name; names follow the order of the spec. */
export function placeDisks({ devices, context }: Conversion): PlacedDisk[] {
  const used = { vd: 0, sd: 0 };
  return (devices.disks ?? []).map((disk, index) => {
    const field = `spec.domain.devices.disks[${index}]`;
    const kind = disk.cdrom ? 'cdrom' : disk.lun ? 'lun' : 'disk';
    const bus = oneOf(disk[kind]?.bus || 'sata', BUSES, `${field}.${kind}.bus`);
    if (kind === 'cdrom' && bus === 'virtio') {
      throw new ConversionError(`${field}.cdrom.bus`, 'Bus type virtio is invalid for CD-ROM device');
    }
    const prefix = PREFIXES[bus];
    return {
      disk,
      field,
      kind,
      bus,
      device: `${prefix}${diskLetters(used[prefix]++)}`,
      source: own(context.volumes, disk.name),
    };
  });
}

/** A name of the user's never reaches the prototype. */
const own = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

/** a, b, … z, aa, ab …: how Linux counts disks. */
export function diskLetters(index: number): string {
  const last = String.fromCharCode('a'.charCodeAt(0) + (index % 26));
  return index < 26 ? last : diskLetters(Math.floor(index / 26) - 1) + last;
}

/** The first device name of a bus that no disk has. */
export function freeDevice(bus: DiskBus, taken: readonly string[]): string {
  for (let index = 0; ; index++) {
    const device = `${PREFIXES[bus]}${diskLetters(index)}`;
    if (!taken.includes(device)) return device;
  }
}

export const disks: Topic = (conversion) => {
  const placed = placeDisks(conversion);
  const orders = bootOrders(conversion, placed);
  return placed
    .filter((disk) => !isPluggedLater(conversion, disk))
    .map((disk) => diskElement(conversion, disk, orders));
};

/** Hotplugged disks come by themselves, when their volume is ready. */
function isPluggedLater({ vmi }: Conversion, { disk, kind, source }: PlacedDisk): boolean {
  if (source || kind === 'cdrom') return false;
  const volume = vmi.spec.volumes?.find(({ name }) => name === disk.name);
  return (volume?.persistentVolumeClaim ?? volume?.dataVolume)?.hotpluggable === true;
}

/** One disk as XML: what is plugged in, taken out, or given another medium while the VMI runs. */
export function diskElement(
  conversion: Conversion,
  placed: PlacedDisk,
  orders: ReadonlyMap<string, number> = new Map(),
): XmlElement {
  const { disk, field, kind, bus, device, source } = placed;
  if (!source && kind !== 'cdrom') {
    throw new ConversionError(`${field}.name`, `no disk exists for the volume ${JSON.stringify(disk.name)}`);
  }
  refuseUnsupported(placed);
  const order = orders.get(disk.name);
  return el(
    'disk',
    {
      type: source?.kind ?? 'block',
      device: kind,
      model: bus === 'virtio' ? virtioModel(conversion) : undefined,
    },
    driver(placed, {
      ioThread: ioThreads(conversion).byDisk.get(disk.name),
      queues: conversion.devices.blockMultiQueue && bus === 'virtio' ? vcpuCount(conversion.domain) : undefined,
    }),
    source &&
      el(
        'source',
        source.kind === 'file' ? { file: source.path } : { dev: source.path },
        reservation(conversion, placed),
      ),
    blockIo(placed),
    el('target', { dev: device, bus, tray: kind === 'cdrom' ? tray(disk, field) : undefined }),
    isReadOnly(placed) && el('readonly'),
    disk.shareable && el('shareable'),
    disk.serial ? el('serial', {}, disk.serial) : undefined,
    order !== undefined && el('boot', { order }),
    userAlias(disk.name, `${field}.name`),
    pciPlace(disk.disk?.pciAddress, `${field}.disk.pciAddress`),
  );
}

/** SATA disks know no write protection: there a volume that can only be read has to be a copy. */
function isReadOnly({ disk, field, kind, bus, source }: PlacedDisk): boolean {
  if (kind === 'cdrom') return true;
  if (bus !== 'sata') return Boolean(source?.readOnly || disk[kind]?.readonly);
  if (disk[kind]?.readonly)
    throw new ConversionError(`${field}.${kind}.readonly`, 'sata hard-disks do not support read-only.');
  return false;
}

const tray = (disk: Disk, field: string): string | undefined =>
  disk.cdrom?.tray ? oneOf(disk.cdrom.tray, ['open', 'closed'], `${field}.cdrom.tray`) : undefined;

function refuseUnsupported({ disk, field, kind, bus, source }: PlacedDisk): void {
  if (kind === 'lun' && source?.kind !== 'block') {
    throw new ConversionError(`${field}.lun`, 'a LUN requires a block device, but the volume is a file');
  }
  if (kind === 'lun' && bus !== 'scsi') {
    throw new ConversionError(`${field}.lun.bus`, `a LUN requires the bus scsi, not ${bus}`);
  }
  if (disk.shareable && source?.format === 'qcow2') {
    throw new ConversionError(`${field}.shareable`, 'a qcow2 image cannot be shared; use a raw one');
  }
  if (disk.disk?.pciAddress && bus !== 'virtio') {
    throw new ConversionError(`${field}.disk.pciAddress`, 'only virtio disks can have a PCI address');
  }
  if (disk.serial && !/^[A-Za-z0-9_.+ -]+$/.test(disk.serial)) {
    throw new ConversionError(
      `${field}.serial`,
      `${JSON.stringify(disk.serial)} has characters that are not allowed in a serial number`,
    );
  }
}

function reservation({ context }: Conversion, { disk, field }: PlacedDisk): XmlElement | undefined {
  if (!disk.lun?.reservation) return undefined;
  const path = context.paths.persistentReservationSocket;
  if (!path) throw new ConversionError(`${field}.lun.reservation`, 'this node has no helper for SCSI reservations');
  return el('reservations', { managed: 'no' }, el('source', { type: 'unix', path, mode: 'client' }));
}
