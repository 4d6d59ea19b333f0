import { type FieldError, fieldError } from '@vireo/api';
import { architectureOf, isArchitecture } from '../architecture.ts';
import { type Rule, type Subject, when } from './rule.ts';

/**
 * The machine type must match one of the cluster's patterns, in which `*` stands for anything that a name may have: what
 * follows a comma would be an option of the emulator.
 */
export const machineType: Rule = ({ spec, path, config }) => {
  const type = spec.domain.machine?.type;
  const architecture = architectureOf(spec, config);
  if (!type || !isArchitecture(architecture)) return [];
  const patterns = config.architectures[architecture].emulatedMachines;
  const field = `${path}.domain.machine.type`;
  return when(
    !/^[\w.-]+$/.test(type) || !patterns.some((pattern) => matches(pattern, type)),
    field,
    `${field} is not supported: ${type} (allowed values: [${patterns.join(' ')}])`,
  );
};

function matches(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  if (!text.startsWith(head)) return false;
  let position = head.length;
  const tail = rest.pop() ?? '';
  for (const part of rest) {
    const found = text.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return text.length - tail.length >= position && text.endsWith(tail);
}

/** Tables of a licence come from secrets. */
export const acpiTables: Rule = ({ spec, path }) => {
  const acpi = spec.domain.firmware?.acpi;
  if (!acpi) return [];
  const field = `${path}.domain.firmware.acpi`;
  if (!acpi.slicNameRef && !acpi.msdmNameRef) {
    return [fieldError(field, 'ACPI was set but no SLIC nor MSDM volume reference was set')];
  }
  return (['slicNameRef', 'msdmNameRef'] as const).flatMap((name) => {
    const reference = acpi[name];
    if (!reference) return [];
    const volume = spec.volumes?.find((candidate) => candidate.name === reference);
    if (!volume) return [fieldError(`${field}.${name}`, `${field} does not have a matching Volume.`)];
    return when(!volume.secret, `${field}.${name}`, `${field} refers to Volume of unsupported type.`);
  });
};

export const firmware: Rule = (subject) => [
  ...bootloader(subject),
  ...kernelBoot(subject),
  ...secureBoot(subject),
  ...serial(subject),
];

function bootloader({ spec, path }: Subject): FieldError[] {
  const { efi, bios } = spec.domain.firmware?.bootloader ?? {};
  const field = `${path}.domain.firmware.bootloader`;
  return when(efi && bios, field, `${field} has both EFI and BIOS configured, but they are mutually exclusive.`);
}

function secureBoot({ spec, path }: Subject): FieldError[] {
  const { firmware: given, features, launchSecurity } = spec.domain;
  const efi = given?.bootloader?.efi;
  const isSecure = efi && efi.secureBoot !== false;
  const hasSmm = features?.smm && features.smm.enabled !== false;
  const field = `${path}.domain`;
  return when(
    isSecure && !hasSmm && !launchSecurity?.tdx,
    field,
    `${field} has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled.`,
  );
}

function serial({ spec, path }: Subject): FieldError[] {
  const text = spec.domain.firmware?.serial;
  if (!text) return [];
  const field = `${path}.domain.firmware.serial`;
  return [
    ...when(text.length > 256, field, `${field} must be less than or equal to 256 in length, if specified`),
    ...when(
      !/^[A-Za-z0-9_.+-]+$/.test(text),
      field,
      `${field} must be made up of the following characters [A-Za-z0-9_.+-], if specified`,
    ),
  ];
}

function kernelBoot({ spec, path }: Subject): FieldError[] {
  const boot = spec.domain.firmware?.kernelBoot;
  if (!boot) return [];
  const field = `${path}.domain.firmware.kernelBoot`;
  if (!boot.container) {
    return when(
      boot.kernelArgs,
      `${field}.kernelArgs`,
      'kernel arguments cannot be provided without an external kernel',
    );
  }
  const { image, kernelPath, initrdPath } = boot.container;
  const container = `${field}.container`;
  return [
    ...when(!image, `${container}.image`, `${container} must be defined with an image`, 'FieldValueRequired'),
    ...when(
      !kernelPath && !initrdPath,
      container,
      `${container} must be defined with at least one of the following: kernelPath, initrdPath`,
      'FieldValueRequired',
    ),
    ...absolutePath(`${container}.kernelPath`, kernelPath),
    ...absolutePath(`${container}.initrdPath`, initrdPath),
  ];
}

/** A path in an image: from its root, and without detours. */
export function absolutePath(field: string, given: string | undefined): FieldError[] {
  if (!given) return [];
  if (given === '/') return [fieldError(field, `${field} must not point to root`)];
  const parts = given.replace(/\/$/, '').split('/').slice(1);
  const isPlain = given.startsWith('/') && parts.every((part) => part !== '' && part !== '.' && part !== '..');
  return when(!isPlain, field, `${field} must be an absolute path to a file without relative components`);
}
