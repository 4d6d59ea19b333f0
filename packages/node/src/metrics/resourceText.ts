import { labelText } from '@vireo/kube';

/** What a node or a container has used, up to now. */
export interface ResourceUsage {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** What a container of a pod has used. */
export interface ContainerUsage extends ResourceUsage {
  readonly namespace: string;
  readonly pod: string;
  /** Of the pod. */
  readonly uid: string;
  readonly container: string;
  readonly startedAtMs?: number;
}

/** One of kubelet's metrics of resources. */
interface Metric<T> {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  value(usage: T): number | undefined;
}

const NODE: readonly Metric<ResourceUsage>[] = [
  {
    name: 'node_cpu_usage_seconds_total',
    type: 'counter',
    help: '[STABLE] Cumulative cpu time consumed by the node in core-seconds',
    value: ({ cpuSeconds }) => cpuSeconds,
  },
  {
    name: 'node_memory_working_set_bytes',
    type: 'gauge',
    help: '[STABLE] Current working set of the node in bytes',
    value: ({ memoryBytes }) => memoryBytes,
  },
];

const CONTAINERS: readonly Metric<ContainerUsage>[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    type: 'counter',
    help: '[STABLE] Cumulative cpu time consumed by the container in core-seconds',
    value: ({ cpuSeconds }) => cpuSeconds,
  },
  {
    name: 'container_memory_working_set_bytes',
    type: 'gauge',
    help: '[STABLE] Current working set of the container in bytes',
    value: ({ memoryBytes }) => memoryBytes,
  },
  {
    name: 'container_start_time_seconds',
    type: 'gauge',
    help: '[STABLE] Start time of the container since unix epoch in seconds',
    value: ({ startedAtMs }) => startedAtMs && startedAtMs / 1000,
  },
];

const LABELS = ['container', 'namespace', 'pod'];

const labelsOf = ({ container, namespace, pod }: ContainerUsage): string =>
  `{${labelText(LABELS, [container, namespace, pod])}}`;

/**
 * What kubelet serves at `/metrics/resource`, for metrics-server to read: what the node and its containers have used,
 * with the time at which it was read.
 */
export function resourceText(
  node: ResourceUsage | undefined,
  containers: readonly ContainerUsage[],
  nowMs: number,
): string {
  const lines = [
    ...CONTAINERS.flatMap((metric) => family(metric, containers, labelsOf, nowMs)),
    ...NODE.flatMap((metric) => family(metric, node ? [node] : [], () => '', nowMs)),
    '# HELP resource_scrape_error [STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
    '# TYPE resource_scrape_error gauge',
    `resource_scrape_error ${node ? 0 : 1}`,
    '',
  ];
  return lines.join('\n');
}

function family<T>(metric: Metric<T>, all: readonly T[], labels: (usage: T) => string, nowMs: number): string[] {
  const { name, type, help } = metric;
  const series = all.flatMap((usage) => {
    const value = metric.value(usage);
    return value === undefined ? [] : [`${name}${labels(usage)} ${value} ${nowMs}`];
  });
  return series.length === 0 ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...series];
}
