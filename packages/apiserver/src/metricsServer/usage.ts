import type { NodeSample, Point } from './nodeSample.ts';

/** What was used between two points: the CPU on average, the memory at the end. */
export interface Measured {
  readonly atMs: number;
  readonly windowMs: number;
  readonly cores: number;
  readonly memoryBytes: number;
}

/** What the containers of a pod use. */
export interface MeasuredPod {
  readonly atMs: number;
  readonly windowMs: number;
  /** By the name of the container. */
  readonly containers: ReadonlyMap<string, Measured>;
}

/** As metrics-server does: less time says too little of something that has just started. */
const LEAST_WINDOW_AFTER_START_MS = 10_000;

/**
 * What was used from one point to the next. Of something that has started in between, since its start. Undefined while
 * there is nothing to compare with.
 */
export function measure(before: Point | undefined, after: Point): Measured | undefined {
  const from = isSameRun(before, after) ? before : startOf(after);
  if (!from || from.atMs >= after.atMs) return undefined;
  const windowMs = after.atMs - from.atMs;
  const cores = (after.cpuSeconds - from.cpuSeconds) / (windowMs / 1000);
  return { atMs: after.atMs, windowMs, cores, memoryBytes: after.memoryBytes };
}

const isSameRun = (before: Point | undefined, after: Point): before is Point =>
  before !== undefined && before.cpuSeconds <= after.cpuSeconds && (after.startedAtMs ?? 0) <= before.atMs;

function startOf({ startedAtMs, atMs }: Point): Pick<Point, 'atMs' | 'cpuSeconds'> | undefined {
  if (startedAtMs === undefined || atMs - startedAtMs < LEAST_WINDOW_AFTER_START_MS) return undefined;
  return { atMs: startedAtMs, cpuSeconds: 0 };
}

/** What the containers of a pod have used; undefined unless all of them are known. */
export function measurePod(
  before: ReadonlyMap<string, Point> | undefined,
  after: ReadonlyMap<string, Point>,
): MeasuredPod | undefined {
  const containers = new Map<string, Measured>();
  for (const [name, point] of after) {
    const measured = measure(before?.get(name), point);
    if (!measured) return undefined;
    containers.set(name, measured);
  }
  // The oldest one says how old the whole is.
  const oldest = [...containers.values()].reduce<Measured | undefined>(
    (least, each) => (!least || each.atMs < least.atMs ? each : least),
    undefined,
  );
  return oldest && { atMs: oldest.atMs, windowMs: oldest.windowMs, containers };
}

/** What nodes and pods have used between two rounds of samples, by node. */
export class UsageTable {
  readonly #before: ReadonlyMap<string, NodeSample>;
  readonly #after: ReadonlyMap<string, NodeSample>;

  constructor(before: ReadonlyMap<string, NodeSample>, after: ReadonlyMap<string, NodeSample>) {
    this.#before = before;
    this.#after = after;
  }

  node(name: string): Measured | undefined {
    const point = this.#after.get(name)?.node;
    return point && measure(this.#before.get(name)?.node, point);
  }

  /** Of a pod on that node. */
  pod(nodeName: string, namespace: string, name: string): MeasuredPod | undefined {
    const key = `${namespace}/${name}`;
    const points = this.#after.get(nodeName)?.pods.get(key);
    return points && measurePod(this.#before.get(nodeName)?.pods.get(key), points);
  }
}
