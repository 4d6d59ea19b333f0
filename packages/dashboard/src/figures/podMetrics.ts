import type { MachineSample, Samples } from './fields.ts';

interface PodMetrics {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly timestamp?: string;
  readonly containers?: readonly { readonly usage?: { readonly cpu?: string; readonly memory?: string } }[];
}

/** The label of all launcher pods. */
export const LAUNCHERS = 'kubevirt.io=virt-launcher';
/** Pods are named after their instance, with five characters of their own behind it. */
const LAUNCHER = /^virt-launcher-(.+)-[a-z0-9]{5}$/;

const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The number of a Kubernetes quantity such as `250m` or `64Mi`; undefined if it is none. */
export function amountOf(quantity: string | undefined): number | undefined {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]{0,2})$/.exec(quantity ?? '') ?? [];
  const factor = Object.hasOwn(FACTORS, unit) ? FACTORS[unit] : undefined;
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

/**
 * Reads a list of metrics.k8s.io. A launcher pod uses what its guest uses and some more. While a machine migrates it has
 * two pods; the one with more memory has the guest.
 */
export function parsePodMetrics(text: string, nowMs: number): Samples {
  const { items = [] } = JSON.parse(text) as { items?: readonly PodMetrics[] };
  const samples = new Map<string, MachineSample>();
  for (const pod of items) {
    const name = LAUNCHER.exec(pod.metadata?.name ?? '')?.[1];
    if (name === undefined) continue;
    const key = `${pod.metadata?.namespace ?? ''}/${name}`;
    const sample = sampleOf(pod, nowMs);
    const other = samples.get(key);
    if (!other || (other.gauges.memoryUsed ?? 0) < (sample.gauges.memoryUsed ?? 0)) samples.set(key, sample);
  }
  return samples;
}

function sampleOf({ timestamp, containers = [] }: PodMetrics, nowMs: number): MachineSample {
  const sum = (resource: 'cpu' | 'memory'): number =>
    containers.reduce((total, { usage }) => total + (amountOf(usage?.[resource]) ?? 0), 0);
  const gauges = { cpuCores: sum('cpu'), memoryUsed: sum('memory') };
  // A clock that is ahead must not put points into the future.
  const atMs = Math.min(Date.parse(timestamp ?? '') || nowMs, nowMs);
  return { origin: 'launchers', atMs, counters: new Map(), gauges };
}
