import type { FieldError } from '@vireo/api';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { architectureOf } from '../architecture.ts';
import { filesystems } from './filesystems.ts';
import { gateClosedText, type Rule, type Subject, when } from './rule.ts';

export const inputs: Rule = ({ spec, path }) =>
  (spec.domain.devices?.inputs ?? []).flatMap(({ bus, type }, index) => {
    const field = `${path}.domain.devices.inputs[${index}]`;
    return [
      ...when(
        bus && bus !== 'virtio' && bus !== 'usb',
        `${field}.bus`,
        'Input device can have only virtio or usb bus.',
      ),
      ...when(type !== 'tablet', `${field}.type`, 'Input device can have only tablet type.'),
    ];
  });

export const ioThreads: Rule = ({ spec, path }) => {
  const { ioThreadsPolicy: policy, ioThreads: pool } = spec.domain;
  if (policy === undefined) return [];
  return [
    ...when(
      !['shared', 'auto', 'supplementalPool'].includes(policy),
      `${path}.domain.ioThreadsPolicy`,
      `Invalid IOThreadsPolicy (${policy})`,
    ),
    ...when(
      policy === 'supplementalPool' && (pool?.supplementalPoolThreadCount ?? 0) < 1,
      `${path}.domain.ioThreads.supplementalPoolThreadCount`,
      'the number of iothreads needs to be set and positive for the dedicated policy',
    ),
  ];
};

export const evictionStrategy: Rule = ({ spec, path }) => {
  const field = `${path}.evictionStrategy`;
  const isKnown =
    spec.evictionStrategy === undefined ||
    ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External'].includes(spec.evictionStrategy);
  return when(!isKnown, field, `${field} is set with an unrecognized option: ${spec.evictionStrategy}`);
};

/** Devices that the cluster must have opened a gate for, and those that exist in few forms. */
export const otherDevices: Rule = (subject) => [
  ...hostDevices(subject),
  ...sound(subject),
  ...gatedFieldErrors(subject),
  ...filesystems(subject),
  ...video(subject),
  ...panic(subject),
  ...serviceAccount(subject),
];

function hostDevices({ spec, path, config }: Subject): FieldError[] {
  const { hostDevices: given, gpus } = spec.domain.devices ?? {};
  const pictures = (gpus ?? []).filter(({ virtualGPUOptions }) => {
    const display = virtualGPUOptions?.display;
    return display && display.enabled !== false && display.ramFB?.enabled !== false;
  });
  return [
    ...when(
      given && !config.gates.has('HostDevices'),
      `${path}.domain.devices.hostDevices`,
      'Host Devices feature gate is not enabled in kubevirt-config',
    ),
    ...when(
      pictures.length > 1,
      `${path}.domain.devices.gpus`,
      'configuring multiple displays with ramfb is not valid ',
    ),
  ];
}

function sound({ spec, path }: Subject): FieldError[] {
  const device = spec.domain.devices?.sound;
  if (!device) return [];
  const field = `${path}.domain.devices.sound`;
  return [
    ...when(
      device.model && device.model !== 'ich9' && device.model !== 'ac97',
      field,
      "Sound device type is not supported. Options: 'ich9' or 'ac97'",
    ),
    ...when(!device.name, field, 'Sound device requires a name field.'),
  ];
}

function gatedFieldErrors({ spec, path, config }: Subject): FieldError[] {
  const { devices = {}, rebootPolicy, memory } = spec.domain;
  const gate = (isUsed: unknown, name: string, field: string): FieldError[] =>
    when(isUsed && !config.gates.has(name), `${path}.domain.${field}`, gateClosedText(name));
  return [
    ...gate(devices.autoattachVSOCK, 'VSOCK', 'devices.autoattachVSOCK'),
    ...when(
      (devices.disks ?? []).some(({ lun }) => lun?.reservation) && !config.hasPersistentReservation,
      `${path}.domain.devices.disks`,
      'persistent reservation is not enabled in kubevirt-config',
    ),
    ...gate(devices.downwardMetrics, 'DownwardMetrics', 'devices.downwardMetrics'),
    ...gate(rebootPolicy, 'RebootPolicy', 'rebootPolicy'),
    ...gate(memory?.reservedOverhead, 'ReservedOverheadMemlock', 'memory.reservedOverhead'),
  ];
}

const VIDEOS: Readonly<Record<string, readonly string[]>> = {
  amd64: ['vga', 'cirrus', 'virtio', 'ramfb', 'bochs'],
  arm64: ['virtio', 'ramfb'],
  s390x: ['virtio'],
};

function video({ spec, path, config }: Subject): FieldError[] {
  const { video: device, autoattachGraphicsDevice } = spec.domain.devices ?? {};
  if (!device) return [];
  const architecture = architectureOf(spec, config);
  const known = VIDEOS[architecture] ?? [];
  const field = `${path}.domain.devices.video`;
  return [
    ...when(
      autoattachGraphicsDevice === false,
      field,
      `${field} is not allowed when ${path}.domain.devices.autoattachGraphicsDevice is false`,
    ),
    ...when(
      device.type && known.length && !known.includes(device.type),
      `${field}.type`,
      `video type ${device.type} is not supported on ${architecture}, supported types: ${known.join(', ')}`,
    ),
  ];
}

const panic = ({ spec, path, config }: Subject): FieldError[] =>
  (spec.domain.devices?.panicDevices ?? []).flatMap(({ model }, index) => {
    const field = `${path}.domain.devices.panicDevices[${index}].model`;
    return [
      ...when(
        architectureOf(spec, config) === 's390x',
        field,
        'custom panic devices are not supported on s390x architecture',
      ),
      ...when(
        model && !['hyperv', 'isa', 'pvpanic'].includes(model),
        field,
        `${field}: ${model} is not one of hyperv, isa, pvpanic`,
      ),
    ];
  });

function serviceAccount({ spec, path }: Subject): FieldError[] {
  const name = spec.serviceAccountName;
  if (!name) return [];
  const field = `${path}.serviceAccountName`;
  const shown = spec.volumes?.find((volume) => volume.serviceAccount)?.serviceAccount?.serviceAccountName;
  return [
    ...dnsSubdomain(name).flatMap((why) => when(true, field, `${field} ${why}`)),
    ...when(
      shown && shown !== name,
      field,
      `${field} must be the service account of the serviceAccount volume, ${shown}`,
    ),
  ];
}
