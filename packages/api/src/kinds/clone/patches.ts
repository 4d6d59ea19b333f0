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
  { metadata, spec: machine }: SnapshotVirtualMachine,
): string[] {
  const { annotationFilters, labelFilters, template, patches = [] } = spec;
  const operations = [
    ...removals('/metadata/labels', metadata?.labels, labelFilters),
    ...removals('/metadata/annotations', keptAnnotations(metadata?.annotations), annotationFilters),
    ...templateRemovals(machine?.template.metadata, template),
    ...cards(spec, machine),
    ...firmware(spec, machine),
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
  leftOut(Object.keys(values ?? {}), filters).map((key) => ({ op: 'remove', path: `${path}/${escaped(key)}` }));

/** As JSON pointers write it. */
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** No two VMs have one address. */
function cards({ newMacAddresses = {} }: Clone['spec'], machine: SnapshotVirtualMachine['spec']): Operation[] {
  const interfaces = machine?.template.spec?.domain.devices.interfaces ?? [];
  return interfaces.flatMap(({ name, macAddress }, index): Operation[] => {
    const path = `${INTERFACES}/${index}/macAddress`;
    const value = Object.hasOwn(newMacAddresses, name) ? newMacAddresses[name] : undefined;
    if (value) return [{ op: 'add', path, value }];
    return macAddress ? [{ op: 'remove', path }] : [];
  });
}

/** Nor one serial number, nor one UUID: what is missing is made anew. */
function firmware({ newSMBiosSerial }: Clone['spec'], machine: SnapshotVirtualMachine['spec']): Operation[] {
  const known = machine?.template.spec?.domain.firmware;
  if (!known) return newSMBiosSerial ? [{ op: 'add', path: FIRMWARE, value: { serial: newSMBiosSerial } }] : [];
  const path = `${FIRMWARE}/serial`;
  return [
    ...(known.uuid ? [{ op: 'remove' as const, path: `${FIRMWARE}/uuid` }] : []),
    ...(newSMBiosSerial ? [{ op: 'add' as const, path, value: newSMBiosSerial }] : []),
    ...(known.serial && !newSMBiosSerial ? [{ op: 'remove' as const, path }] : []),
  ];
}
