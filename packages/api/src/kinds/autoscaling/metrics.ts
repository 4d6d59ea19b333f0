import { type Infer, int32, opt, quantity, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const CrossVersionObjectReference = struct(
  'io.k8s.api.autoscaling.v2.CrossVersionObjectReference',
  'Refers to an object that can be scaled or measured.',
  {
    apiVersion: opt(3, string, 'Group and version of the object.'),
    kind: req(1, string, 'Kind of the object.'),
    name: req(2, string, 'Name of the object.'),
  },
);
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

export const MetricIdentifier = struct('io.k8s.api.autoscaling.v2.MetricIdentifier', 'Refers to a metric.', {
  name: req(1, string, 'Name of the metric.'),
  selector: opt(2, LabelSelector, 'Selects the metric by its labels.'),
});
export interface MetricIdentifier extends Infer<typeof MetricIdentifier> {}

export const MetricTarget = struct('io.k8s.api.autoscaling.v2.MetricTarget', 'Target value of a metric.', {
  averageUtilization: opt(4, int32, { pointer: true, doc: 'Average in percent of the requests.' }),
  averageValue: opt(3, quantity, 'Target value, averaged over the pods.'),
  type: req(1, string, 'Type of the target: Utilization, Value or AverageValue.'),
  value: opt(2, quantity, 'Target value of the metric.'),
});
export interface MetricTarget extends Infer<typeof MetricTarget> {}

export const MetricValueStatus = struct('io.k8s.api.autoscaling.v2.MetricValueStatus', 'Measured value of a metric.', {
  averageUtilization: opt(3, int32, { pointer: true, doc: 'Average in percent of the requests.' }),
  averageValue: opt(2, quantity, 'Measured value, averaged over the pods.'),
  value: opt(1, quantity, 'Measured value of the metric.'),
});
export interface MetricValueStatus extends Infer<typeof MetricValueStatus> {}

export const ContainerResourceMetricSource = struct(
  'io.k8s.api.autoscaling.v2.ContainerResourceMetricSource',
  'CPU or memory of one container in all pods.',
  {
    container: req(3, string, 'Name of the container.'),
    name: req(1, string, 'Name of the resource, such as cpu.'),
    target: req(2, MetricTarget, 'Target value of the metric.'),
  },
);
export interface ContainerResourceMetricSource extends Infer<typeof ContainerResourceMetricSource> {}

export const ExternalMetricSource = struct(
  'io.k8s.api.autoscaling.v2.ExternalMetricSource',
  'A metric from outside the cluster.',
  {
    metric: req(1, MetricIdentifier, 'Name and labels of the metric.'),
    target: req(2, MetricTarget, 'Target value of the metric.'),
  },
);
export interface ExternalMetricSource extends Infer<typeof ExternalMetricSource> {}

export const ObjectMetricSource = struct(
  'io.k8s.api.autoscaling.v2.ObjectMetricSource',
  'A metric of a single object.',
  {
    describedObject: req(1, CrossVersionObjectReference, 'Object that the metric describes.'),
    metric: req(3, MetricIdentifier, 'Name and labels of the metric.'),
    target: req(2, MetricTarget, 'Target value of the metric.'),
  },
);
export interface ObjectMetricSource extends Infer<typeof ObjectMetricSource> {}

export const PodsMetricSource = struct(
  'io.k8s.api.autoscaling.v2.PodsMetricSource',
  'A metric of the pods, averaged over them.',
  {
    metric: req(1, MetricIdentifier, 'Name and labels of the metric.'),
    target: req(2, MetricTarget, 'Target value of the metric.'),
  },
);
export interface PodsMetricSource extends Infer<typeof PodsMetricSource> {}

export const ResourceMetricSource = struct(
  'io.k8s.api.autoscaling.v2.ResourceMetricSource',
  'CPU or memory of the pods.',
  {
    name: req(1, string, 'Name of the resource, such as cpu.'),
    target: req(2, MetricTarget, 'Target value of the metric.'),
  },
);
export interface ResourceMetricSource extends Infer<typeof ResourceMetricSource> {}

export const MetricSpec = struct(
  'io.k8s.api.autoscaling.v2.MetricSpec',
  'A metric and its target value. Set the field that type names.',
  {
    containerResource: opt(7, ContainerResourceMetricSource, 'CPU or memory of one container in all pods.'),
    external: opt(5, ExternalMetricSource, 'Metric from outside the cluster.'),
    object: opt(2, ObjectMetricSource, 'A metric of a single object.'),
    pods: opt(3, PodsMetricSource, 'A metric of the pods, averaged over them.'),
    resource: opt(4, ResourceMetricSource, 'CPU or memory of the pods.'),
    type: req(1, string, 'Type of the metric: ContainerResource, External, Object, Pods or Resource.'),
  },
);
export interface MetricSpec extends Infer<typeof MetricSpec> {}

export const ContainerResourceMetricStatus = struct(
  'io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus',
  'Measured CPU or memory of one container.',
  {
    container: req(3, string, 'Name of the container.'),
    current: req(2, MetricValueStatus, 'Measured value of the metric.'),
    name: req(1, string, 'Name of the resource, such as cpu.'),
  },
);
export interface ContainerResourceMetricStatus extends Infer<typeof ContainerResourceMetricStatus> {}

export const ExternalMetricStatus = struct(
  'io.k8s.api.autoscaling.v2.ExternalMetricStatus',
  'Measured value of a metric from outside the cluster.',
  {
    current: req(2, MetricValueStatus, 'Measured value of the metric.'),
    metric: req(1, MetricIdentifier, 'Name and labels of the metric.'),
  },
);
export interface ExternalMetricStatus extends Infer<typeof ExternalMetricStatus> {}

export const ObjectMetricStatus = struct(
  'io.k8s.api.autoscaling.v2.ObjectMetricStatus',
  'Measured value of a metric of a single object.',
  {
    current: req(2, MetricValueStatus, 'Measured value of the metric.'),
    describedObject: req(3, CrossVersionObjectReference, 'Object that the metric describes.'),
    metric: req(1, MetricIdentifier, 'Name and labels of the metric.'),
  },
);
export interface ObjectMetricStatus extends Infer<typeof ObjectMetricStatus> {}

export const PodsMetricStatus = struct(
  'io.k8s.api.autoscaling.v2.PodsMetricStatus',
  'Measured value of a metric of the pods.',
  {
    current: req(2, MetricValueStatus, 'Measured value of the metric.'),
    metric: req(1, MetricIdentifier, 'Name and labels of the metric.'),
  },
);
export interface PodsMetricStatus extends Infer<typeof PodsMetricStatus> {}

export const ResourceMetricStatus = struct(
  'io.k8s.api.autoscaling.v2.ResourceMetricStatus',
  'Measured CPU or memory of the pods.',
  {
    current: req(2, MetricValueStatus, 'Measured value of the metric.'),
    name: req(1, string, 'Name of the resource, such as cpu.'),
  },
);
export interface ResourceMetricStatus extends Infer<typeof ResourceMetricStatus> {}

export const MetricStatus = struct(
  'io.k8s.api.autoscaling.v2.MetricStatus',
  'Measured value of a metric. The field that type names is set.',
  {
    containerResource: opt(7, ContainerResourceMetricStatus, 'CPU or memory of one container in all pods.'),
    external: opt(5, ExternalMetricStatus, 'Metric from outside the cluster.'),
    object: opt(2, ObjectMetricStatus, 'A metric of a single object.'),
    pods: opt(3, PodsMetricStatus, 'A metric of the pods, averaged over them.'),
    resource: opt(4, ResourceMetricStatus, 'CPU or memory of the pods.'),
    type: req(1, string, 'Type of the metric: ContainerResource, External, Object, Pods or Resource.'),
  },
);
export interface MetricStatus extends Infer<typeof MetricStatus> {}
