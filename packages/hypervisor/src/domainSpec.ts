import type { CPU } from '@vireo/api/kinds/kubevirt/cpu.ts';
import type { DomainSpec } from '@vireo/api/kinds/kubevirt/domain.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { parseQuantity, type Quantity, toBytes } from '@vireo/api/quantity.ts';

/** A quantity as written, or nothing where it cannot be read: schema validation speaks of those. */
export function readQuantity(value: string | number | undefined): Quantity | undefined {
  if (value === undefined) return undefined;
  try {
    return parseQuantity(value);
  } catch {
    return undefined;
  }
}

/** Bytes of a quantity; nothing where it is missing or cannot be read. */
export function bytesOf(value: string | number | undefined): bigint | undefined {
  const quantity = readQuantity(value);
  return quantity && toBytes(quantity);
}

/** The memory that the guest sees, wherever the spec says it. */
export const guestMemoryBytes = ({ memory, resources }: DomainSpec): bigint | undefined =>
  bytesOf(memory?.guest) ?? bytesOf(resources?.requests?.memory) ?? bytesOf(resources?.limits?.memory);

export interface Topology {
  readonly sockets: number;
  readonly cores: number;
  readonly threads: number;
}

const atLeastOne = (value: number | undefined): number => Math.max(1, value ?? 1);

/** Sockets, cores and threads, each 1 where the spec is silent. */
export const topologyOf = (cpu: CPU | undefined): Topology => ({
  sockets: atLeastOne(cpu?.sockets),
  cores: atLeastOne(cpu?.cores),
  threads: atLeastOne(cpu?.threads),
});

export const vcpusOf = ({ sockets, cores, threads }: Topology): number => sockets * cores * threads;

const NANO = 1_000_000_000n;

/** Virtual processors: what the topology says; without one, the CPU limit or request, rounded up. */
export function vcpuCount({ cpu, resources }: DomainSpec): number {
  if (cpu?.sockets || cpu?.cores || cpu?.threads) return vcpusOf(topologyOf(cpu));
  const quantity = readQuantity(resources?.limits?.cpu) ?? readQuantity(resources?.requests?.cpu);
  if (!quantity || quantity.nano <= 0n) return 1;
  return Number((quantity.nano + NANO - 1n) / NANO);
}

/** Whether a device of the node goes to the guest. */
export const hasPassthrough = ({ domain }: VirtualMachineInstanceSpec): boolean =>
  [...(domain.devices?.gpus ?? []), ...(domain.devices?.hostDevices ?? [])].length > 0 ||
  (domain.devices?.interfaces ?? []).some(({ sriov }) => sriov);
