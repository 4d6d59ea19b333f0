import {
  groupVersion,
  kibibytes,
  NodeMetrics,
  nanocores,
  type Persisted,
  PodMetrics,
  timestamp,
  type UnknownObject,
} from '@vireo/api';
import { formatGoDuration } from '@vireo/api/duration.ts';
import type { Measured, MeasuredPod } from './usage.ts';

const amounts = ({ cores, memoryBytes }: Measured) => ({ cpu: nanocores(cores), memory: kibibytes(memoryBytes) });

const apiVersion = groupVersion(NodeMetrics.group, NodeMetrics.version);

/** Its name and labels are those of what is measured; it exists from the moment in which it is asked for. */
const metadataOf = ({ metadata }: Persisted<UnknownObject>, now: Date) => ({
  name: metadata.name,
  ...(metadata.namespace && { namespace: metadata.namespace }),
  creationTimestamp: timestamp(now),
  ...(metadata.labels && { labels: metadata.labels }),
});

const span = ({ atMs, windowMs }: { atMs: number; windowMs: number }) => ({
  timestamp: timestamp(new Date(atMs)),
  window: formatGoDuration(windowMs),
});

/** What metrics.k8s.io says of a node; undefined while nothing is known. */
export const nodeMetrics = (
  node: Persisted<UnknownObject>,
  measured: Measured | undefined,
  now = new Date(),
): NodeMetrics | undefined =>
  measured && {
    kind: NodeMetrics.kind,
    apiVersion,
    metadata: metadataOf(node, now),
    ...span(measured),
    usage: amounts(measured),
  };

/** The same of a pod. */
export const podMetrics = (
  pod: Persisted<UnknownObject>,
  measured: MeasuredPod | undefined,
  now = new Date(),
): PodMetrics | undefined =>
  measured && {
    kind: PodMetrics.kind,
    apiVersion,
    metadata: metadataOf(pod, now),
    ...span(measured),
    containers: [...measured.containers].map(([name, each]) => ({ name, usage: amounts(each) })),
  };
