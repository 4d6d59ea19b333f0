import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { DEFAULT_MACHINE_TYPE, isArchitecture, LIBVIRT_ARCHITECTURE } from '@vireo/hypervisor';

/** Where packages and administrators describe firmware to libvirt; what comes later hides what has the same name. */
const PLACES = ['/usr/share/qemu/firmware', '/etc/qemu/firmware'];

/** Firmware as its file describes it; see QEMU's `firmware.json`. */
export interface FirmwareDescription {
  readonly 'interface-types': readonly string[];
  readonly mapping: {
    readonly device: string;
    readonly mode?: string;
    readonly executable?: { readonly filename: string };
    readonly 'nvram-template'?: { readonly filename: string; readonly format: string };
  };
  readonly targets: readonly { readonly architecture: string; readonly machines: readonly string[] }[];
  readonly features: readonly string[];
}

/** What a VMI asks of its firmware. */
export interface FirmwareNeeds {
  /** libvirt's word. */
  readonly architecture: string;
  readonly machine: string;
  readonly secureBoot: boolean;
}

/** What the firmware of a VMI has to be; undefined for one without UEFI. */
export function firmwareNeeds({ spec }: Vmi, architecture: string): FirmwareNeeds | undefined {
  const efi = spec.domain.firmware?.bootloader?.efi;
  if (!efi || !isArchitecture(architecture)) return undefined;
  return {
    architecture: LIBVIRT_ARCHITECTURE[architecture],
    machine: spec.domain.machine?.type || DEFAULT_MACHINE_TYPE[architecture],
    secureBoot: efi.secureBoot !== false,
  };
}

/** The file that the variables of a new machine are copied from. */
export const variablesTemplate = (
  needs: FirmwareNeeds,
  descriptions: readonly FirmwareDescription[],
): string | undefined => firmwareFor(needs, descriptions)?.['nvram-template']?.filename;

/** The file that a machine's firmware is in. */
export const firmwareFile = (needs: FirmwareNeeds, descriptions: readonly FirmwareDescription[]): string | undefined =>
  firmwareFor(needs, descriptions)?.executable?.filename;

/** The first that fits, as libvirt chooses. */
function firmwareFor(
  needs: FirmwareNeeds,
  descriptions: readonly FirmwareDescription[],
): FirmwareDescription['mapping'] | undefined {
  const machine = { q35: 'pc-q35-', pc: 'pc-i440fx-', virt: 'virt-' }[needs.machine] ?? needs.machine;
  return descriptions.find(
    ({ mapping, targets, features, 'interface-types': types }) =>
      types.includes('uefi') &&
      mapping.device === 'flash' &&
      mapping['nvram-template']?.format === 'raw' &&
      features.includes('secure-boot') === needs.secureBoot &&
      features.includes('enrolled-keys') === needs.secureBoot &&
      targets.some(
        ({ architecture, machines }) =>
          architecture === needs.architecture && machines.some((pattern) => fits(machine, pattern)),
      ),
  )?.mapping;
}

/** Patterns end in a star, or have none. */
const fits = (machine: string, pattern: string): boolean =>
  pattern.endsWith('*') ? machine.startsWith(pattern.slice(0, -1)) : machine === pattern;

/** The firmware of this host, in libvirt's order. */
export async function readDescriptions(places: readonly string[] = PLACES): Promise<FirmwareDescription[]> {
  const paths = new Map<string, string>();
  for (const place of places)
    for (const name of await readdir(place).catch(() => []))
      if (name.endsWith('.json')) paths.set(name, join(place, name));
  const ordered = [...paths.values()].sort((a, b) => (basename(a) < basename(b) ? -1 : 1));
  const texts = await Promise.all(ordered.map((path) => readFile(path, 'utf8')));
  // An empty file hides the one of the package.
  return texts.filter((text) => text.trim() !== '').map((text) => JSON.parse(text) as FirmwareDescription);
}
