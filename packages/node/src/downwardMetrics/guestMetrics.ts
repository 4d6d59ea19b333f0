import type { TypedParameters } from '@vireo/libvirt';
import { type Metric, seconds, whole } from './metricsXml.ts';

const NANOSECONDS = 1e9;

/** What libvirt says of a guest; undefined while it says nothing. */
export function guestMetrics(stats: Pick<TypedParameters, 'number'>): Metric[] | undefined {
  const [count, memory] = [stats.number('vcpu.current'), stats.number('balloon.current')];
  if (count === undefined || memory === undefined) return undefined;
  const times = Array.from({ length: stats.number('vcpu.maximum') ?? count }, (_, index) => `vcpu.${index}.time`);
  const nanoseconds = times.reduce((sum, name) => sum + (stats.number(name) ?? 0), 0);
  return [
    seconds('vm', 'TotalCPUTime', nanoseconds / NANOSECONDS),
    whole('vm', 'ResourceProcessorLimit', count),
    // Nothing takes memory from a guest, so that it has what it may have.
    whole('vm', 'PhysicalMemoryAllocatedToVirtualSystem', memory, 'KiB'),
    whole('vm', 'ResourceMemoryLimit', memory, 'KiB'),
  ];
}
