import type { FieldError } from '@vireo/api';
import { architectureOf, isArchitecture } from '../architecture.ts';
import { type Rule, type Subject, when } from './rule.ts';

/** What an architecture does not have. */
export const architecture: Rule = (subject) => {
  const { spec, path, config } = subject;
  const name = architectureOf(spec, config);
  if (!isArchitecture(name)) return when(true, `${path}.architecture`, `unsupported architecture: ${name}`);
  return [...watchdog(subject, name), ...(name === 'arm64' ? arm64(subject) : [])];
};

function watchdog({ spec, path }: Subject, name: string): FieldError[] {
  const dog = spec.domain.devices?.watchdog;
  if (!dog) return [];
  const field = `${path}.domain.devices.watchdog`;
  if (name === 'arm64') return when(true, field, 'Arm64 not support Watchdog device');
  const [own, other] = name === 's390x' ? (['diag288', 'i6300esb'] as const) : (['i6300esb', 'diag288'] as const);
  const action = dog[own]?.action;
  return [
    ...when(dog[other], `${field}.${other}`, `${name} only supports ${own} watchdog device`),
    ...when(!dog[own] && !dog[other], field, `${field} must have the model ${own}`, 'FieldValueRequired'),
    ...when(
      action && !['poweroff', 'reset', 'shutdown'].includes(action),
      `${field}.${own}.action`,
      `${field}.${own}.action ${action} is not one of poweroff, reset, shutdown`,
    ),
  ];
}

function arm64({ spec, path }: Subject): FieldError[] {
  const { firmware, cpu, devices = {} } = spec.domain;
  const boot = `${path}.domain.firmware.bootloader`;
  return [
    ...when(firmware?.bootloader?.bios, `${boot}.bios`, 'Arm64 does not support bios boot, please change to uefi boot'),
    ...when(
      firmware?.bootloader?.efi && firmware.bootloader.efi.secureBoot !== false,
      `${boot}.efi.secureboot`,
      'UEFI secure boot is currently not supported on aarch64 Arch',
    ),
    ...when(
      cpu?.model && cpu.model !== 'host-passthrough',
      `${path}.domain.cpu.model`,
      `currently, ${cpu?.model} is not supported on Arm64 Arch`,
    ),
    ...(devices.disks ?? []).flatMap((disk, index) => {
      const kind = disk.disk ? 'disk' : disk.cdrom ? 'cdrom' : 'lun';
      const bus = disk[kind]?.bus;
      return when(
        bus && bus !== 'virtio' && bus !== 'scsi',
        `${path}.domain.devices.disks[${index}].${kind}.bus`,
        'Arm64 not support this disk bus type, please use virtio or scsi',
      );
    }),
    ...when(devices.sound, `${path}.domain.devices.sound`, 'Arm64 not support sound device'),
  ];
}
