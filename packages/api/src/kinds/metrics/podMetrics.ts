import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, req, struct, time } from '../../schema.ts';
import { ContainerMetrics, MetricsWindow, usageColumns } from './usage.ts';

export const PodMetricsSchema = struct(
  'io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics',
  'CPU and memory that the containers of a pod use.',
  {
    ...objectFields,
    containers: req(4, list(ContainerMetrics), 'What each container uses.'),
    timestamp: req(2, time, 'End of the span of time over which the CPU was measured.'),
    window: req(3, MetricsWindow, 'Span of time over which the CPU was measured.'),
  },
);
export interface PodMetrics extends Infer<typeof PodMetricsSchema> {}

export const PodMetrics = defineKind<PodMetrics>({
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  singular: '',
  namespaced: true,
  verbs: ['get', 'list'],
  schema: PodMetricsSchema,
  columns: usageColumns<PodMetrics>(({ containers }) => containers.map(({ usage }) => usage)),
});
