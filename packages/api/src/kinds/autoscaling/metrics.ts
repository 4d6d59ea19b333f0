import { type Infer, int32, opt, quantity, req, string, struct } from '../../schema.ts';
import { LabelSelector } from '../meta/selectors.ts';

export const CrossVersionObjectReference = struct('io.k8s.api.autoscaling.v2.CrossVersionObjectReference', '', {
  apiVersion: opt(3, string),
  kind: req(1, string),
  name: req(2, string),
});
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

export const MetricIdentifier = struct('io.k8s.api.autoscaling.v2.MetricIdentifier', '', {
  name: req(1, string),
  selector: opt(2, LabelSelector),
});
export interface MetricIdentifier extends Infer<typeof MetricIdentifier> {}

export const MetricTarget = struct('io.k8s.api.autoscaling.v2.MetricTarget', '', {
  averageUtilization: opt(4, int32),
  averageValue: opt(3, quantity),
  type: req(1, string),
  value: opt(2, quantity),
});
export interface MetricTarget extends Infer<typeof MetricTarget> {}

export const MetricValueStatus = struct('io.k8s.api.autoscaling.v2.MetricValueStatus', '', {
  averageUtilization: opt(3, int32),
  averageValue: opt(2, quantity),
  value: opt(1, quantity),
});
export interface MetricValueStatus extends Infer<typeof MetricValueStatus> {}

export const ContainerResourceMetricSource = struct('io.k8s.api.autoscaling.v2.ContainerResourceMetricSource', '', {
  container: req(3, string),
  name: req(1, string),
  target: req(2, MetricTarget),
});
export interface ContainerResourceMetricSource extends Infer<typeof ContainerResourceMetricSource> {}

export const ExternalMetricSource = struct('io.k8s.api.autoscaling.v2.ExternalMetricSource', '', {
  metric: req(1, MetricIdentifier),
  target: req(2, MetricTarget),
});
export interface ExternalMetricSource extends Infer<typeof ExternalMetricSource> {}

export const ObjectMetricSource = struct('io.k8s.api.autoscaling.v2.ObjectMetricSource', '', {
  describedObject: req(1, CrossVersionObjectReference),
  metric: req(3, MetricIdentifier),
  target: req(2, MetricTarget),
});
export interface ObjectMetricSource extends Infer<typeof ObjectMetricSource> {}

export const PodsMetricSource = struct('io.k8s.api.autoscaling.v2.PodsMetricSource', '', {
  metric: req(1, MetricIdentifier),
  target: req(2, MetricTarget),
});
export interface PodsMetricSource extends Infer<typeof PodsMetricSource> {}

export const ResourceMetricSource = struct('io.k8s.api.autoscaling.v2.ResourceMetricSource', '', {
  name: req(1, string),
  target: req(2, MetricTarget),
});
export interface ResourceMetricSource extends Infer<typeof ResourceMetricSource> {}

export const MetricSpec = struct('io.k8s.api.autoscaling.v2.MetricSpec', '', {
  containerResource: opt(7, ContainerResourceMetricSource),
  external: opt(5, ExternalMetricSource),
  object: opt(2, ObjectMetricSource),
  pods: opt(3, PodsMetricSource),
  resource: opt(4, ResourceMetricSource),
  type: req(1, string),
});
export interface MetricSpec extends Infer<typeof MetricSpec> {}

export const ContainerResourceMetricStatus = struct('io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus', '', {
  container: req(3, string),
  current: req(2, MetricValueStatus),
  name: req(1, string),
});
export interface ContainerResourceMetricStatus extends Infer<typeof ContainerResourceMetricStatus> {}

export const ExternalMetricStatus = struct('io.k8s.api.autoscaling.v2.ExternalMetricStatus', '', {
  current: req(2, MetricValueStatus),
  metric: req(1, MetricIdentifier),
});
export interface ExternalMetricStatus extends Infer<typeof ExternalMetricStatus> {}

export const ObjectMetricStatus = struct('io.k8s.api.autoscaling.v2.ObjectMetricStatus', '', {
  current: req(2, MetricValueStatus),
  describedObject: req(3, CrossVersionObjectReference),
  metric: req(1, MetricIdentifier),
});
export interface ObjectMetricStatus extends Infer<typeof ObjectMetricStatus> {}

export const PodsMetricStatus = struct('io.k8s.api.autoscaling.v2.PodsMetricStatus', '', {
  current: req(2, MetricValueStatus),
  metric: req(1, MetricIdentifier),
});
export interface PodsMetricStatus extends Infer<typeof PodsMetricStatus> {}

export const ResourceMetricStatus = struct('io.k8s.api.autoscaling.v2.ResourceMetricStatus', '', {
  current: req(2, MetricValueStatus),
  name: req(1, string),
});
export interface ResourceMetricStatus extends Infer<typeof ResourceMetricStatus> {}

export const MetricStatus = struct('io.k8s.api.autoscaling.v2.MetricStatus', '', {
  containerResource: opt(7, ContainerResourceMetricStatus),
  external: opt(5, ExternalMetricStatus),
  object: opt(2, ObjectMetricStatus),
  pods: opt(3, PodsMetricStatus),
  resource: opt(4, ResourceMetricStatus),
  type: req(1, string),
});
export interface MetricStatus extends Infer<typeof MetricStatus> {}
