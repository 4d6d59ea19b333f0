import { type Infer, int32, opt, quantity, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const CrossVersionObjectReference = struct(
  'io.k8s.api.autoscaling.v2.CrossVersionObjectReference',
  'Names an object that can be scaled or measured.',
  {
    apiVersion: opt(3, string, 'Group and version of the object.'),
    kind: req(1, string, 'Kind of the object.'),
    name: req(2, string, 'Name of the object.'),
  },
);
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

export const MetricIdentifier = struct('io.k8s.api.autoscaling.v2.MetricIdentifier', 'Names a metric.', {
  name: req(1, string, 'Name of the metric.'),
  selector: opt(2, LabelSelector, 'Labels of the metric.'),
});
export interface MetricIdentifier extends Infer<typeof MetricIdentifier> {}

export const MetricTarget = struct('io.k8s.api.autoscaling.v2.MetricTarget', 'The value to keep.', {
  averageUtilization: opt(4, int32, { pointer: true, doc: 'Average in percent of the requests.' }),
  averageValue: opt(3, quantity, 'Average over the pods.'),
  type: req(1, string, 'Utilization, Value or AverageValue.'),
  value: opt(2, quantity, 'The value itself.'),
});
export interface MetricTarget extends Infer<typeof MetricTarget> {}

export const MetricValueStatus = struct('io.k8s.api.autoscaling.v2.MetricValueStatus', 'A measured value.', {
  averageUtilization: opt(3, int32, { pointer: true, doc: 'Average in percent of the requests.' }),
  averageValue: opt(2, quantity, 'Average over the pods.'),
  value: opt(1, quantity, 'The value itself.'),
});
export interface MetricValueStatus extends Infer<typeof MetricValueStatus> {}

export const ContainerResourceMetricSource = struct(
  'io.k8s.api.autoscaling.v2.ContainerResourceMetricSource',
  'Resource of one container.',
  {
    container: req(3, string, 'The container.'),
    name: req(1, string, 'The resource.'),
    target: req(2, MetricTarget, 'The value to keep.'),
  },
);
export interface ContainerResourceMetricSource extends Infer<typeof ContainerResourceMetricSource> {}

export const ExternalMetricSource = struct(
  'io.k8s.api.autoscaling.v2.ExternalMetricSource',
  'A metric from outside the cluster.',
  {
    metric: req(1, MetricIdentifier, 'Which metric.'),
    target: req(2, MetricTarget, 'The value to keep.'),
  },
);
export interface ExternalMetricSource extends Infer<typeof ExternalMetricSource> {}

export const ObjectMetricSource = struct(
  'io.k8s.api.autoscaling.v2.ObjectMetricSource',
  'A metric of another object.',
  {
    describedObject: req(1, CrossVersionObjectReference, 'The object.'),
    metric: req(3, MetricIdentifier, 'Which metric.'),
    target: req(2, MetricTarget, 'The value to keep.'),
  },
);
export interface ObjectMetricSource extends Infer<typeof ObjectMetricSource> {}

export const PodsMetricSource = struct(
  'io.k8s.api.autoscaling.v2.PodsMetricSource',
  'A metric of the pods, on average.',
  {
    metric: req(1, MetricIdentifier, 'Which metric.'),
    target: req(2, MetricTarget, 'The value to keep.'),
  },
);
export interface PodsMetricSource extends Infer<typeof PodsMetricSource> {}

export const ResourceMetricSource = struct(
  'io.k8s.api.autoscaling.v2.ResourceMetricSource',
  'A resource of the pods.',
  {
    name: req(1, string, 'The resource.'),
    target: req(2, MetricTarget, 'The value to keep.'),
  },
);
export interface ResourceMetricSource extends Infer<typeof ResourceMetricSource> {}

export const MetricSpec = struct(
  'io.k8s.api.autoscaling.v2.MetricSpec',
  'A metric, and the value to keep; one source is set.',
  {
    containerResource: opt(7, ContainerResourceMetricSource, 'Resource of one container.'),
    external: opt(5, ExternalMetricSource, 'Metric from outside the cluster.'),
    object: opt(2, ObjectMetricSource, 'Metric of another object.'),
    pods: opt(3, PodsMetricSource, 'Metric of the pods.'),
    resource: opt(4, ResourceMetricSource, 'Resource of the pods.'),
    type: req(1, string, 'Which source is set.'),
  },
);
export interface MetricSpec extends Infer<typeof MetricSpec> {}

export const ContainerResourceMetricStatus = struct(
  'io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus',
  'Measured resource of one container.',
  {
    container: req(3, string, 'The container.'),
    current: req(2, MetricValueStatus, 'What was measured.'),
    name: req(1, string, 'The resource.'),
  },
);
export interface ContainerResourceMetricStatus extends Infer<typeof ContainerResourceMetricStatus> {}

export const ExternalMetricStatus = struct(
  'io.k8s.api.autoscaling.v2.ExternalMetricStatus',
  'Measured metric from outside the cluster.',
  {
    current: req(2, MetricValueStatus, 'What was measured.'),
    metric: req(1, MetricIdentifier, 'Which metric.'),
  },
);
export interface ExternalMetricStatus extends Infer<typeof ExternalMetricStatus> {}

export const ObjectMetricStatus = struct(
  'io.k8s.api.autoscaling.v2.ObjectMetricStatus',
  'Measured metric of another object.',
  {
    current: req(2, MetricValueStatus, 'What was measured.'),
    describedObject: req(3, CrossVersionObjectReference, 'The object.'),
    metric: req(1, MetricIdentifier, 'Which metric.'),
  },
);
export interface ObjectMetricStatus extends Infer<typeof ObjectMetricStatus> {}

export const PodsMetricStatus = struct('io.k8s.api.autoscaling.v2.PodsMetricStatus', 'Measured metric of the pods.', {
  current: req(2, MetricValueStatus, 'What was measured.'),
  metric: req(1, MetricIdentifier, 'Which metric.'),
});
export interface PodsMetricStatus extends Infer<typeof PodsMetricStatus> {}

export const ResourceMetricStatus = struct(
  'io.k8s.api.autoscaling.v2.ResourceMetricStatus',
  'Measured resource of the pods.',
  {
    current: req(2, MetricValueStatus, 'What was measured.'),
    name: req(1, string, 'The resource.'),
  },
);
export interface ResourceMetricStatus extends Infer<typeof ResourceMetricStatus> {}

export const MetricStatus = struct('io.k8s.api.autoscaling.v2.MetricStatus', 'A metric as it was measured.', {
  containerResource: opt(7, ContainerResourceMetricStatus, 'Resource of one container.'),
  external: opt(5, ExternalMetricStatus, 'Metric from outside the cluster.'),
  object: opt(2, ObjectMetricStatus, 'Metric of another object.'),
  pods: opt(3, PodsMetricStatus, 'Metric of the pods.'),
  resource: opt(4, ResourceMetricStatus, 'Resource of the pods.'),
  type: req(1, string, 'Which source is set.'),
});
export interface MetricStatus extends Infer<typeof MetricStatus> {}
