import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, req, struct, time } from '../../schema.ts';
import { MetricsWindow, Usage, usageColumns } from './usage.ts';

export const NodeMetricsSchema = struct(
  'io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics',
  'CPU and memory that a node uses.',
  {
    ...objectFields,
    timestamp: req(2, time, 'End of the span of time over which the CPU was measured.'),
    usage: req(4, Usage, 'CPU and memory in use.'),
    window: req(3, MetricsWindow, 'Span of time over which the CPU was measured.'),
  },
);
export interface NodeMetrics extends Infer<typeof NodeMetricsSchema> {}

export const NodeMetrics = defineKind<NodeMetrics>({
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'NodeMetrics',
  plural: 'nodes',
  singular: '',
  namespaced: false,
  verbs: ['get', 'list'],
  schema: NodeMetricsSchema,
  columns: usageColumns<NodeMetrics>(({ usage }) => [usage]),
});
