import { DEFAULT_MACHINE_TYPE, LIBVIRT_ARCHITECTURE } from '../architecture.ts';
import { el, type XmlElement } from '../xml.ts';
import { type Conversion, isEnabled, type Topic } from './conversion.ts';
import { ConversionError } from './error.ts';

/** The machine type, checked: it goes to QEMU as an option. */
export function machineType({ architecture, domain }: Pick<Conversion, 'architecture' | 'domain'>): string {
  const machine = domain.machine?.type || DEFAULT_MACHINE_TYPE[architecture];
  if (!/^[\w.-]+$/.test(machine)) {
    throw new ConversionError('spec.domain.machine.type', `${JSON.stringify(machine)} is not a machine type`);
  }
  return machine;
}

const hasEfi = ({ domain }: Conversion): boolean => domain.firmware?.bootloader?.efi !== undefined;

/** Secure boot is on wherever there is UEFI and nobody said no. */
const hasSecureBoot = ({ domain }: Conversion): boolean => domain.firmware?.bootloader?.efi?.secureBoot !== false;

export const os: Topic = (conversion) => {
  const { architecture, machine } = conversion;
  const type = el('type', { arch: LIBVIRT_ARCHITECTURE[architecture], machine }, 'hvm');
  const smbios = architecture !== 's390x' && el('smbios', { mode: 'sysinfo' });
  return [
    el(
      'os',
      { firmware: hasEfi(conversion) ? 'efi' : undefined },
      type,
      ...(hasEfi(conversion) ? efi(conversion) : []),
      ...kernelBoot(conversion),
      ...acpiTables(conversion),
      smbios,
      ...bios(conversion),
    ),
  ];
};

function efi(conversion: Conversion): XmlElement[] {
  const enabled = hasSecureBoot(conversion) ? 'yes' : 'no';
  if (enabled === 'yes' && !isEnabled(conversion.domain.features?.smm)) {
    throw new ConversionError('spec.domain.firmware.bootloader.efi.secureBoot', 'needs spec.domain.features.smm');
  }
  const { nvram } = conversion.context.paths;
  return [
    el(
      'firmware',
      {},
      el('feature', { enabled, name: 'secure-boot' }),
      el('feature', { enabled, name: 'enrolled-keys' }),
    ),
    ...(nvram ? [el('nvram', {}, nvram)] : []),
  ];
}

function bios({ domain, devices }: Conversion): XmlElement[] {
  const speaks = domain.firmware?.bootloader?.bios?.useSerial && devices.autoattachSerialConsole !== false;
  return speaks ? [el('bios', { useserial: 'yes' })] : [];
}

function kernelBoot({ domain, context }: Conversion): XmlElement[] {
  const boot = domain.firmware?.kernelBoot;
  if (!boot?.container) return [];
  const field = 'spec.domain.firmware.kernelBoot.container';
  const { kernelPath, initrdPath } = boot.container;
  const { kernel, initrd } = context.kernelBoot ?? {};
  if (kernelPath && !kernel) throw new ConversionError(`${field}.kernelPath`, 'the kernel is not on this node');
  if (initrdPath && !initrd)
    throw new ConversionError(`${field}.initrdPath`, 'the initial RAM disk is not on this node');
  return [
    kernel ? el('kernel', {}, kernel) : undefined,
    initrd ? el('initrd', {}, initrd) : undefined,
    boot.kernelArgs ? el('cmdline', {}, boot.kernelArgs) : undefined,
  ].filter((element) => element !== undefined);
}

function acpiTables({ domain, context }: Conversion): XmlElement[] {
  const { slicNameRef, msdmNameRef } = domain.firmware?.acpi ?? {};
  if (msdmNameRef) {
    throw new ConversionError(
      'spec.domain.firmware.acpi.msdmNameRef',
      'this version of libvirt supports SLIC tables only',
    );
  }
  if (!slicNameRef) return [];
  const table = context.acpiTables?.slic;
  if (!table) throw new ConversionError('spec.domain.firmware.acpi.slicNameRef', 'the table is not on this node');
  return [el('acpi', {}, el('table', { type: 'slic' }, table))];
}

/** What becomes of the domain when the guest ends, restarts or crashes. */
export const lifecycle: Topic = ({ domain }) => [
  el('on_poweroff', {}, 'destroy'),
  el('on_reboot', {}, domain.rebootPolicy === 'Terminate' ? 'destroy' : 'restart'),
  el('on_crash', {}, 'destroy'),
];
