import type { ObjectMeta } from '../../meta.ts';
import { keptAnnotations } from '../snapshot/restoredVm.ts';
import type { SnapshotVirtualMachine } from '../snapshot/virtualMachineSnapshotContent.ts';
import { leftOut } from './filters.ts';
import type { VirtualMachineClone } from './virtualMachineClone.ts';

type Clone = VirtualMachineClone;

interface Operation {
  readonly op: 'add' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

const INTERFACES = '/spec/template/spec/domain/devices/interfaces';
const FIRMWARE = '/spec/template/spec/domain/firmware';

/** What makes a copy a VM of its own, as patches for a restore: what tells it apart, and what the clone asks for. */
export function clonePatches(
  { spec }: Pick<Clone, 'spec'>,
  { metadata, spec: vmSpec }: SnapshotVirtualMachine,
): string[] {
  const { annotationFilters, labelFilters, template, patches = [] } = spec;
  const operations = [
    ...removals('/metadata/labels', metadata?.labels, labelFilters),
    ...removals('/metadata/annotations', keptAnnotations(metadata?.annotations), annotationFilters),
    ...templateRemovals(vmSpec?.template.metadata, template),
    ...cards(spec, vmSpec),
    ...firmware(spec, vmSpec),
  ];
  return [...operations.map((operation) => JSON.stringify(operation)), ...patches];
}

function templateRemovals(metadata: ObjectMeta | undefined, filters: Clone['spec']['template']): Operation[] {
  const path = '/spec/template/metadata';
  return [
    ...removals(`${path}/labels`, metadata?.labels, filters?.labelFilters),
    ...removals(`${path}/annotations`, metadata?.annotations, filters?.annotationFilters),
  ];
}

const removals = (
  path: string,
  values: Readonly<Record<string, string>> | undefined,
  filters: readonly string[] | undefined,
): Operation[] =>
  leftOut(Object.keys(values ?? {}), filters).map((key) => ({ op: 'remove', path: `${path}/${escapePointer(key)}` }));

/** As JSON pointers write it. */
const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** No two VMs have one address. */
function cards({ newMacAddresses = {} }: Clone['spec'], vmSpec: SnapshotVirtualMachine['spec']): Operation[] {
  const interfaces = vmSpec?.template.spec?.domain.devices.interfaces ?? [];
  return interfaces.flatMap(({ name, macAddress }, index): Operation[] => {
    const path = `${INTERFACES}/${index}/macAddress`;
    const value = Object.hasOwn(newMacAddresses, name) ? newMacAddresses[name] : undefined;
    if (value) return [{ op: 'add', path, value }];
    return macAddress ? [{ op: 'remove', path }] : [];
  });
}

/** Nor one serial number, nor one UUID: what is missing is made anew. */
function firmware({ newSMBiosSerial }: Clone['spec'], vmSpec: SnapshotVirtualMachine['spec']): Operation[] {
  const known = vmSpec?.template.spec?.domain.firmware;
  if (!known) return newSMBiosSerial ? [{ op: 'add', path: FIRMWARE, value: { serial: newSMBiosSerial } }] : [];
  const path = `${FIRMWARE}/serial`;
  return [
    ...(known.uuid ? [{ op: 'remove' as const, path: `${FIRMWARE}/uuid` }] : []),
    ...(newSMBiosSerial ? [{ op: 'add' as const, path, value: newSMBiosSerial }] : []),
    ...(known.serial && !newSMBiosSerial ? [{ op: 'remove' as const, path }] : []),
  ];
}
