import { type FieldError, fieldError } from '@vireo/api';
import type { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { canonicalQuantity } from '@vireo/api/quantity.ts';
import { bytesOf, guestMemoryBytes, type Topology, topologyOf } from '../domainSpec.ts';
import { preferredTopology, spreadOptions } from './topology.ts';

type Spec = VirtualMachineInstanceSpec;
type Part = keyof Topology;

/** What a VM lacks to be given the preference. With an instance type it is that which must be large enough. */
export function unmetRequirements(
  spec: Spec,
  type: VirtualMachineInstancetypeSpec | undefined,
  preference: VirtualMachinePreferenceSpec | undefined,
): FieldError[] {
  const { requirements } = preference ?? {};
  if (!preference || !requirements) return [];
  const { cpu, memory, architecture } = requirements;
  return [
    ...(cpu ? lackingProcessors(spec, type, preference, cpu.guest) : []),
    ...(memory ? lackingMemory(spec, type, memory.guest) : []),
    ...(architecture && spec.architecture !== architecture
      ? [
          unmet(
            'spec.template.spec.architecture',
            `preference requires architecture ${architecture} but ${spec.architecture ?? ''} is being requested`,
          ),
        ]
      : []),
  ];
}

const unmet = (field: string, text: string): FieldError =>
  fieldError(field, `failure checking preference requirements: ${text}`, 'FieldValueNotFound');

function lackingProcessors(
  { domain }: Spec,
  type: VirtualMachineInstancetypeSpec | undefined,
  preference: VirtualMachinePreferenceSpec,
  needed: number,
): FieldError[] {
  if (type) {
    if (type.cpu.guest >= needed) return [];
    const text = `insufficient CPU resources of ${type.cpu.guest} vCPU provided by instance type, preference requires ${needed} vCPU`;
    return [unmet('spec.instancetype', text)];
  }
  const field = 'spec.template.spec.domain.cpu';
  if (!domain.cpu)
    return [unmet(field, `no CPU resources provided by VirtualMachine, preference requires ${needed} vCPU`)];
  const { parts, words } = countedParts(preference);
  const topology = topologyOf(domain.cpu);
  const vcpus = parts.reduce((product, part) => product * topology[part], 1);
  if (vcpus >= needed) return [];
  const text = `insufficient CPU resources of ${vcpus} vCPU provided by VirtualMachine, preference requires ${needed} vCPU provided as ${words}`;
  return [unmet(parts.map((part) => `${field}.${part}`).join(', '), text)];
}

const SPREAD: Readonly<Record<string, readonly Part[]>> = {
  SocketsCores: ['sockets', 'cores'],
  CoresThreads: ['cores', 'threads'],
  SocketsCoresThreads: ['sockets', 'cores', 'threads'],
};

/** Which of sockets, cores and threads count as processors. */
function countedParts(preference: VirtualMachinePreferenceSpec): { parts: readonly Part[]; words: string } {
  const topology = preferredTopology(preference);
  if (topology === 'any') return { parts: ['cores', 'sockets', 'threads'], words: 'cores, sockets and threads' };
  if (topology !== 'spread') return { parts: [topology], words: topology };
  const { across } = spreadOptions(preference);
  return { parts: SPREAD[across] ?? [], words: across };
}

function lackingMemory(
  { domain }: Spec,
  type: VirtualMachineInstancetypeSpec | undefined,
  needed: string | number,
): FieldError[] {
  const given = type ? bytesOf(type.memory.guest) : guestMemoryBytes(domain);
  const neededBytes = bytesOf(needed);
  if (given === undefined || neededBytes === undefined || given >= neededBytes) return [];
  const [field, who] = type
    ? ['spec.instancetype', 'instance type']
    : ['spec.template.spec.domain.memory', 'VirtualMachine'];
  const amount = type ? canonicalQuantity(type.memory.guest) : canonicalQuantity(domain.memory?.guest ?? `${given}`);
  const text = `insufficient Memory resources of ${amount} provided by ${who}, preference requires ${canonicalQuantity(needed)}`;
  return [unmet(field, text)];
}
