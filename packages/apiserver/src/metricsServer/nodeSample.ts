/** What a container or a node had used up to a moment. */
export interface Point {
  readonly atMs: number;
  /** Since its start. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly startedAtMs?: number;
}

/** What a node told at once, of itself and of its containers. */
export interface NodeSample {
  readonly node: Point | undefined;
  /** By `namespace/name` of the pod, then by the name of the container. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, Point>>;
}

type Draft = { -readonly [K in keyof Point]?: Point[K] };

const LINE = /^(\w+)(?:\{([^{}]*)\})? (\S+)(?: (\d+))?$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Where a metric of `/metrics/resource` goes. */
const FIELDS: Readonly<Record<string, (draft: Draft, value: number) => void>> = {
  cpu_usage_seconds_total: (draft, value) => {
    draft.cpuSeconds = value;
  },
  memory_working_set_bytes: (draft, value) => {
    draft.memoryBytes = value;
  },
  start_time_seconds: (draft, value) => {
    draft.startedAtMs = value * 1000;
  },
};

/**
 * Reads what a kubelet serves at `/metrics/resource`. Of what it does not know it takes nothing, and of a container
 * without CPU or memory neither. `nowMs` stands in for a missing time.
 */
export function parseNodeSample(text: string, nowMs: number): NodeSample {
  const node: Draft = {};
  const pods = new Map<string, Map<string, Draft>>();
  for (const line of text.split('\n')) {
    const match = line.startsWith('#') ? null : LINE.exec(line);
    if (!match) continue;
    const [, name = '', labels = '', valueText = '', timeText] = match;
    const scope = name.slice(0, name.indexOf('_'));
    const field = name.slice(scope.length + 1);
    const value = Number(valueText);
    if (!Object.hasOwn(FIELDS, field) || !Number.isFinite(value) || value < 0) continue;
    const draft = scope === 'node' ? node : scope === 'container' ? containerOf(pods, labels) : undefined;
    if (!draft) continue;
    FIELDS[field]?.(draft, value);
    if (timeText !== undefined) draft.atMs = Math.max(draft.atMs ?? 0, Number(timeText));
  }
  return {
    node: pointOf(node, nowMs),
    pods: new Map([...pods].map(([pod, containers]) => [pod, points(containers, nowMs)])),
  };
}

function containerOf(pods: Map<string, Map<string, Draft>>, labelText: string): Draft | undefined {
  const labels = new Map<string, string>();
  for (const [, name = '', value = ''] of labelText.matchAll(LABEL)) labels.set(name, value);
  const [namespace, pod, container] = ['namespace', 'pod', 'container'].map((name) => labels.get(name));
  if (!namespace || !pod || !container) return undefined;
  const key = `${namespace}/${pod}`;
  const containers = pods.get(key) ?? new Map<string, Draft>();
  pods.set(key, containers);
  const draft = containers.get(container) ?? {};
  containers.set(container, draft);
  return draft;
}

function pointOf({ atMs, cpuSeconds, memoryBytes, startedAtMs }: Draft, nowMs: number): Point | undefined {
  if (cpuSeconds === undefined || memoryBytes === undefined) return undefined;
  return { atMs: atMs ?? nowMs, cpuSeconds, memoryBytes, ...(startedAtMs !== undefined && { startedAtMs }) };
}

function points(containers: ReadonlyMap<string, Draft>, nowMs: number): Map<string, Point> {
  const all = new Map<string, Point>();
  for (const [name, draft] of containers) {
    const point = pointOf(draft, nowMs);
    if (point) all.set(name, point);
  }
  return all;
}
