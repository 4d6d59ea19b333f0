import { totalmem, uptime } from 'node:os';
import type { Persisted, Pod } from '@vireo/api';
import type { Clock } from '@vireo/kube';
import { domainKey } from '../vmi/domainInformer.ts';
import { COMPUTE } from '../vmi/launcher.ts';
import { type DomainStats, StatsReader, type StatsSource } from './domainStats.ts';
import { readHostUsage } from './hostUsage.ts';
import { type ContainerUsage, resourceText } from './resourceText.ts';
import { CpuRates, type Summary, summaryOf } from './summary.ts';

const NANOSECONDS = 1e9;

/** Where CPU and memory of this node's pods are read. */
export interface ResourceSources {
  /** The node's name. */
  readonly node: string;
  readonly libvirt: StatsSource;
  readonly clock: Clock;
  /** The launcher of the VMI `namespace/name`, if that is the one with this uid. */
  launcher(key: string, uid: string): Persisted<Pod> | undefined;
}

/** What this node tells of CPU and memory. */
export interface ResourceReader {
  /** What is served at `/metrics/resource`. */
  metrics(): Promise<string>;
  /** What is served at `/stats/summary`. */
  summary(): Promise<Summary>;
}

/** Reads what this node and its pods use. */
export function resourceReader({ node, libvirt, clock, launcher }: ResourceSources): ResourceReader {
  const reader = new StatsReader(libvirt, clock);
  const rates = new CpuRates();
  const read = async () => {
    const [host, stats] = await Promise.all([readHostUsage(), reader.read()]);
    const containers = stats.flatMap((each) => {
      const pod = launcher(domainKey(each.domain), each.domain.uuid);
      return pod ? launcherUsage(pod, each) : [];
    });
    return { host, containers, nowMs: clock.now() };
  };
  return {
    metrics: async () => {
      const { host, containers, nowMs } = await read();
      return resourceText(host, containers, nowMs);
    },
    summary: async () => {
      const startedAtMs = clock.now() - uptime() * 1000;
      return summaryOf({ name: node, startedAtMs, totalBytes: totalmem() }, await read(), rates);
    },
  };
}

/** A launcher uses what its QEMU does. */
function launcherUsage({ metadata, status }: Persisted<Pod>, { parameters }: DomainStats): ContainerUsage[] {
  const [cpuTime, rssKib] = [parameters.number('cpu.time'), parameters.number('balloon.rss')];
  if (cpuTime === undefined || rssKib === undefined) return [];
  const started = status?.containerStatuses?.find(({ name }) => name === COMPUTE)?.state?.running?.startedAt;
  return [
    {
      namespace: metadata.namespace ?? '',
      pod: metadata.name,
      uid: metadata.uid,
      container: COMPUTE,
      cpuSeconds: cpuTime / NANOSECONDS,
      memoryBytes: rssKib * 1024,
      ...(started && { startedAtMs: Date.parse(started) }),
    },
  ];
}
