import { type Topology, topologyOf, vcpuCount, vcpusOf } from '../domainSpec.ts';
import { type Conversion, wholeNumber } from './conversion.ts';

/** What QEMU's machine types can have at most. */
const MAX_VCPUS = 512;

/** The processors that the VMI starts with; a CPU request alone counts as that many sockets. */
export function startTopology({ domain }: Conversion): Topology {
  const { cpu } = domain;
  const isGiven = cpu?.sockets || cpu?.cores || cpu?.threads;
  const topology = isGiven ? topologyOf(cpu) : { sockets: vcpuCount(domain), cores: 1, threads: 1 };
  for (const [name, value] of Object.entries(topology)) {
    wholeNumber(value, 1, MAX_VCPUS, `spec.domain.cpu.${name}`);
  }
  wholeNumber(vcpusOf(topology), 1, MAX_VCPUS, 'spec.domain.cpu');
  return topology;
}

/** The processors that it can have, sockets being what can be added. */
export function maxTopology(conversion: Conversion): Topology {
  const start = startTopology(conversion);
  const { maxSockets } = conversion.domain.cpu ?? {};
  if (!maxSockets || maxSockets <= start.sockets) return start;
  const most = { ...start, sockets: maxSockets };
  wholeNumber(vcpusOf(most), 1, MAX_VCPUS, 'spec.domain.cpu.maxSockets');
  return most;
}
