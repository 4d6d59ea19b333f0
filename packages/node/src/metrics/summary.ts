import type { ContainerUsage, ResourceUsage } from './resourceText.ts';

const NANO = 1e9;

/** What kubelet serves at `/stats/summary`, as far as a node of VMs has it. */
export interface Summary {
  readonly node: Figures & { readonly nodeName: string };
  readonly pods: readonly PodSummary[];
}

interface PodSummary extends Figures {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly containers: readonly (Figures & { readonly name: string })[];
}

interface Figures {
  readonly startTime?: string;
  readonly cpu?: {
    readonly time: string;
    /** Missing until there are two looks to compare. */
    readonly usageNanoCores?: number;
    readonly usageCoreNanoSeconds: number;
  };
  readonly memory?: {
    readonly time: string;
    readonly availableBytes?: number;
    readonly workingSetBytes: number;
    readonly rssBytes?: number;
  };
}

interface Point {
  readonly atMs: number;
  readonly cpuSeconds: number;
}

/** Looks that are closer together than this tell no rate, and are not kept. */
const APART_MS = 5_000;

/** How fast CPU time is used: since an earlier look at the same thing, of which the last two are kept. */
export class CpuRates {
  #points = new Map<string, readonly Point[]>();

  /** Cores in use, for each of what is looked at now; what is not is forgotten. */
  update(looks: ReadonlyMap<string, Point>): ReadonlyMap<string, number> {
    const rates = new Map<string, number>();
    const kept = new Map<string, readonly Point[]>();
    for (const [key, point] of looks) {
      const known = (this.#points.get(key) ?? []).filter(({ cpuSeconds }) => cpuSeconds <= point.cpuSeconds);
      const before = known.findLast(({ atMs }) => point.atMs - atMs >= APART_MS);
      if (before) rates.set(key, ((point.cpuSeconds - before.cpuSeconds) / (point.atMs - before.atMs)) * 1000);
      const isApart = point.atMs - (known.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) >= APART_MS;
      kept.set(key, isApart ? [...known.slice(-1), point] : known);
    }
    this.#points = kept;
    return rates;
  }
}

/** The node itself. */
export interface SummarizedNode {
  readonly name: string;
  readonly startedAtMs: number;
  readonly totalBytes: number;
}

/** What was read of a node at once. */
export interface NodeUsage {
  readonly host: ResourceUsage | undefined;
  readonly containers: readonly ContainerUsage[];
  readonly nowMs: number;
}

/** The summary of what a node and its pods use. */
export function summaryOf(node: SummarizedNode, { host, containers, nowMs }: NodeUsage, rates: CpuRates): Summary {
  const looks = new Map<string, Point>();
  const look = (key: string, { cpuSeconds }: ResourceUsage): void => void looks.set(key, { atMs: nowMs, cpuSeconds });
  if (host) look('', host);
  for (const usage of containers) look(keyOf(usage), usage);
  const cores = rates.update(looks);
  const time = new Date(nowMs).toISOString();
  const figures = (key: string, usage: ResourceUsage, startedAtMs: number | undefined, memory: object): Figures => {
    const rate = cores.get(key);
    return {
      ...(startedAtMs !== undefined && { startTime: new Date(startedAtMs).toISOString() }),
      cpu: {
        time,
        ...(rate !== undefined && { usageNanoCores: Math.round(rate * NANO) }),
        usageCoreNanoSeconds: Math.round(usage.cpuSeconds * NANO),
      },
      memory: { time, workingSetBytes: usage.memoryBytes, ...memory },
    };
  };
  const { name: nodeName, startedAtMs, totalBytes } = node;
  return {
    node: {
      nodeName,
      ...(host && figures('', host, startedAtMs, { availableBytes: totalBytes - host.memoryBytes })),
    },
    // A launcher has one container that uses anything: that of its QEMU.
    pods: containers.map((usage) => {
      const own = figures(keyOf(usage), usage, usage.startedAtMs, { rssBytes: usage.memoryBytes });
      const { pod: name, namespace, uid, container } = usage;
      return { podRef: { name, namespace, uid }, ...own, containers: [{ name: container, ...own }] };
    }),
  };
}

const keyOf = ({ uid, container }: ContainerUsage): string => `${uid}/${container}`;
