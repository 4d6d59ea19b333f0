import type { Persisted, Pod } from '@vireo/api';
import type { Clock } from '@vireo/kube';
import { domainKey } from '../vmi/domainInformer.ts';
import { COMPUTE } from '../vmi/launcher.ts';
import { type DomainStats, StatsReader, type StatsSource } from './domainStats.ts';
import { readHostUsage } from './hostUsage.ts';
import { type ContainerUsage, resourceText } from './resourceText.ts';

const NANOSECONDS = 1e9;

/** Where CPU and memory of this node's pods are read. */
export interface ResourceSources {
  readonly libvirt: StatsSource;
  readonly clock: Clock;
  /** The launcher of the VMI `namespace/name`, if that is the one with this uid. */
  launcher(key: string, uid: string): Persisted<Pod> | undefined;
}

/** Makes what this node serves at `/metrics/resource`. */
export function resourceMetrics({ libvirt, clock, launcher }: ResourceSources): () => Promise<string> {
  const reader = new StatsReader(libvirt, clock);
  return async () => {
    const [host, stats] = await Promise.all([readHostUsage(), reader.read()]);
    const containers = stats.flatMap((each) => {
      const pod = launcher(domainKey(each.domain), each.domain.uuid);
      return pod ? launcherUsage(pod, each) : [];
    });
    return resourceText(host, containers, clock.now());
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
      container: COMPUTE,
      cpuSeconds: cpuTime / NANOSECONDS,
      memoryBytes: rssKib * 1024,
      ...(started && { startedAtMs: Date.parse(started) }),
    },
  ];
}
