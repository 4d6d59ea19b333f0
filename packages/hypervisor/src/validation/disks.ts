import { type FieldError, fieldError } from '@vireo/api';
import type { Disk } from '@vireo/api/kinds/kubevirt/disk.ts';
import { dnsLabel } from '@vireo/api/names.ts';
import { duplicates, type Rule, type Subject, when } from './rule.ts';

const BUSES = ['virtio', 'scsi', 'sata', 'usb'];
/** Volumes that each VMI has a copy of. */
const COPIED = ['containerDisk', 'ephemeral', 'emptyDisk'] as const;
const [MIN_BLOCK, MAX_BLOCK] = [512, 2 ** 21];

/** Disks fit their volumes, and nothing boots at the same time as something else. */
export const disksAndVolumes: Rule = (subject) => [...volumesOfDisks(subject), ...bootOrders(subject)];

function volumesOfDisks({ spec, path, config }: Subject): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  return (spec.domain.devices?.disks ?? []).flatMap((disk, index) => {
    const field = `${path}.domain.devices.disks[${index}]`;
    const volume = volumes.get(disk.name);
    if (!volume) {
      if (!disk.cdrom) return [fieldError(`${field}.name`, `${field}.name '${disk.name}' not found.`)];
      const gate = 'DeclarativeHotplugVolumes';
      const text = `${gate} feature gate not enabled, cannot define an empty CD-ROM disk`;
      return [...when(!config.gates.has(gate), `${field}.name`, text), ...emptyOnUsb(disk, field)];
    }
    const bus = disk.disk?.bus;
    const copied = COPIED.find((source) => volume[source]);
    return [
      ...((volume.persistentVolumeClaim ?? volume.dataVolume)?.hotpluggable ? emptyOnUsb(disk, field) : []),
      ...when(
        disk.shareable && copied,
        `${field}.shareable`,
        `${field}.shareable is not supported for volumes of type ${copied}: every VMI has its own copy`,
      ),
      ...when(
        disk.lun && !volume.persistentVolumeClaim && !volume.dataVolume,
        `${field}.lun`,
        `${field}.lun can only be mapped to a DataVolume or PersistentVolumeClaim volume.`,
      ),
      ...when(
        volume.downwardMetrics && !disk.disk,
        `${field}.disk`,
        `DownwardMetrics volume must be mapped to a disk, but disk is not set on ${field}.disk.`,
        'FieldValueRequired',
      ),
      ...when(
        volume.downwardMetrics && bus && bus !== 'virtio',
        `${field}.disk.bus`,
        `DownwardMetrics volume must be mapped to virtio bus, but ${field}.disk.bus is set to ${bus}`,
      ),
    ];
  });
}

/** QEMU has no USB drive without a medium. */
const emptyOnUsb = ({ cdrom }: Disk, field: string): FieldError[] =>
  when(
    cdrom?.bus === 'usb',
    `${field}.cdrom.bus`,
    'a CD-ROM drive that is empty or has a hotpluggable disc cannot use the bus usb; use sata or scsi',
  );

function bootOrders({ spec, path }: Subject): FieldError[] {
  const { disks = [], interfaces = [] } = spec.domain.devices ?? {};
  const taken = new Set<number>();
  const repeated = (order: number | undefined, field: string): FieldError[] => {
    if (order === undefined || order < 1) return [];
    const isTaken = taken.has(order);
    taken.add(order);
    return when(isTaken, field, `Boot order for ${field} already set for a different device.`);
  };
  const at = (kind: string, index: number): string => `${path}.domain.devices.${kind}[${index}]`;
  return [
    ...disks.flatMap(({ bootOrder }, index) => repeated(bootOrder, `${at('disks', index)}.bootOrder`)),
    ...interfaces.flatMap(({ bootOrder }, index) => [
      ...notPositive(bootOrder, at('interfaces', index)),
      ...repeated(bootOrder, `${at('interfaces', index)}.bootOrder`),
    ]),
  ];
}

const notPositive = (order: number | undefined, field: string): FieldError[] =>
  when(order !== undefined && order < 1, `${field}.bootOrder`, `${field} must have a boot order > 0, if supplied`);

export const disks: Rule = ({ spec, path }) => {
  const { type: machineType = 'q35' } = spec.domain.machine ?? {};
  const given = spec.domain.devices?.disks ?? [];
  const list = `${path}.domain.devices.disks`;
  const repeated = new Map(duplicates(given.map(({ name }) => name)));
  const places = new Map(
    duplicates(given.map(({ disk, name }) => disk?.pciAddress?.toLowerCase() || `no place: ${name}`)),
  );
  return given.flatMap((disk, index) => {
    const field = `${list}[${index}]`;
    return [
      ...when(
        repeated.has(index),
        `${field}.name`,
        `${field} and ${list}[${repeated.get(index)}] must not have the same Name.`,
      ),
      ...when(
        [disk.disk, disk.lun, disk.cdrom].filter(Boolean).length > 1,
        field,
        `${field} can only have a single target type defined`,
      ),
      ...pciAddress(disk, field, machineType),
      ...when(
        disk.disk?.pciAddress && places.has(index),
        `${field}.disk.pciAddress`,
        `${field} and ${list}[${places.get(index)}] must not have the same PCI address.`,
      ),
      ...notPositive(disk.bootOrder, field),
      ...bus(disk, field),
      ...serial(disk, field),
      ...modes(disk, field),
      ...tray(disk, field),
      ...dnsLabel(disk.name).map((why) => fieldError(`${field}.name`, why)),
      ...blockSize(disk, field),
    ];
  });
};

export const isPciAddress = (address: string): boolean =>
  /^([\da-f]{4}):([\da-f]{2}):([01][\da-f])\.([0-7])$/i.test(address);

function pciAddress({ disk }: Disk, field: string, machineType: string): FieldError[] {
  if (!disk?.pciAddress) return [];
  const at = `${field}.disk.pciAddress`;
  return [
    ...when(
      disk.bus !== 'virtio',
      at,
      `disk ${field}.name - setting a PCI address is only possible with bus type virtio.`,
    ),
    ...(isPciAddress(disk.pciAddress)
      ? unusablePlace(disk.pciAddress, at, machineType)
      : [fieldError(at, `disk ${field}.name has malformed PCI address (${disk.pciAddress}).`)]),
  ];
}

/** Places that a guest does not have: it has one PCI domain, and behind each port of a q35 there is one slot. */
function unusablePlace(address: string, field: string, machineType: string): FieldError[] {
  const [domain = '', bus = '', place = ''] = address.toLowerCase().split(':');
  const [slot] = place.split('.');
  const isPort = machineType.includes('q35') && bus !== '00';
  return [
    ...when(domain !== '0000', field, `PCI address ${address} is not available: the guest only has domain 0000`),
    ...when(
      domain === '0000' && isPort && slot !== '00',
      field,
      `PCI address ${address} is not available: bus ${bus} of a ${machineType} VMI only has slot 00`,
    ),
    ...when(
      domain === '0000' && machineType.includes('q35') && bus === '00' && slot === '1f',
      field,
      `PCI address ${address} is not available: slot 1f of bus 00 belongs to the chipset`,
    ),
  ];
}

function tray({ cdrom }: Disk, field: string): FieldError[] {
  const at = `${field}.cdrom.tray`;
  const text = `${at} has invalid value "${cdrom?.tray}", must be one of: [open closed]`;
  return when(cdrom?.tray && !['open', 'closed'].includes(cdrom.tray), at, text, 'FieldValueNotSupported');
}

function bus(disk: Disk, field: string): FieldError[] {
  const kind = disk.disk ? 'disk' : disk.lun ? 'lun' : 'cdrom';
  const name = disk[kind]?.bus;
  if (!name) return [];
  return [
    ...busOfKind(disk, kind, name, field),
    ...when(
      disk.dedicatedIOThread && name !== 'virtio',
      field,
      `IOThreads are not supported for disks on a ${name} bus`,
      'FieldValueNotSupported',
    ),
  ];
}

function busOfKind(disk: Disk, kind: 'disk' | 'lun' | 'cdrom', name: string, field: string): FieldError[] {
  const at = `${field}.${kind}.bus`;
  if (name === 'ide') return [fieldError(at, 'IDE bus is not supported')];
  if (!BUSES.includes(name)) {
    return [fieldError(at, `${field} is set with an unrecognized bus ${name}, must be one of: [${BUSES.join(' ')}]`)];
  }
  return [
    ...when(kind === 'cdrom' && name === 'virtio', at, `Bus type ${name} is invalid for CD-ROM device`),
    ...when(kind === 'lun' && name !== 'scsi', at, `a LUN requires the bus scsi, not ${name}`),
    ...when(name === 'sata' && disk.disk?.readonly, at, `${name} hard-disks do not support read-only.`),
  ];
}

function serial({ serial: text }: Disk, field: string): FieldError[] {
  if (!text) return [];
  return [
    ...when(
      !/^[A-Za-z0-9_.+-]+$/.test(text),
      `${field}.serial`,
      `${field} must be made up of the following characters [A-Za-z0-9_.+-], if specified`,
    ),
    ...when(
      [...text].length > 256,
      `${field}.serial`,
      `${field} must be less than or equal to 256 in length, if specified`,
    ),
  ];
}

function modes({ cache, io, errorPolicy }: Disk, field: string): FieldError[] {
  const isOf = (value: string | undefined, ...values: string[]): boolean => !value || values.includes(value);
  return [
    ...when(
      !isOf(cache, 'none', 'writethrough', 'writeback'),
      `${field}.cache`,
      `${field}.cache has invalid value ${cache}`,
    ),
    ...when(
      !isOf(io, 'native', 'threads'),
      `${field}.io`,
      `Disk IO mode for ${field} is not supported. Supported modes are: native, threads.`,
      'FieldValueNotSupported',
    ),
    ...when(
      !isOf(errorPolicy, 'stop', 'ignore', 'report', 'enospace'),
      `${field}.errorPolicy`,
      `${field}.errorPolicy has invalid value "${errorPolicy}"`,
    ),
    ...when(
      io === 'native' && (cache === 'writethrough' || cache === 'writeback'),
      `${field}.io`,
      `${field}.io native requires the cache none, not ${cache}`,
    ),
  ];
}

function blockSize(disk: Disk, field: string): FieldError[] {
  const { custom, matchVolume } = disk.blockSize ?? {};
  if (!custom) return [];
  const at = `${field}.blockSize`;
  if (matchVolume && matchVolume.enabled !== false) {
    return [fieldError(at, "Block size matching can't be enabled together with a custom value")];
  }
  const { logical = 0, physical = 0, discardGranularity } = custom;
  if (logical > physical) {
    const text = `Logical size ${logical} must be the same or less than the physical size of ${physical}`;
    return [fieldError(`${at}.custom.logical`, text)];
  }
  return [
    ...oneSize(logical, `${at}.custom.logical`),
    ...oneSize(physical, `${at}.custom.physical`),
    ...when(
      discardGranularity !== undefined,
      `${at}.custom.discardGranularity`,
      'discardGranularity is not supported by libvirt',
      'FieldValueNotSupported',
    ),
    ...when(
      (disk.disk ?? disk.cdrom)?.bus === 'sata' && logical > MIN_BLOCK,
      `${at}.custom.logical`,
      `Logical size ${logical} must be ${MIN_BLOCK} on a sata bus`,
    ),
  ];
}

function oneSize(size: number, field: string): FieldError[] {
  if (size < MIN_BLOCK) {
    return [fieldError(field, `Provided size of ${size} is less than the supported minimum size of ${MIN_BLOCK}`)];
  }
  if (size > MAX_BLOCK) {
    return [fieldError(field, `Provided size of ${size} is greater than the supported maximum size of ${MAX_BLOCK}`)];
  }
  return when(size & (size - 1), field, `Provided size of ${size} is not a power of 2`);
}
