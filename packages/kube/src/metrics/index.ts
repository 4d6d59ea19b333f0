export { controllerMetrics } from './controllers.ts';
export { exposition, type MetricSelection, metricSelection, TEXT_FORMAT } from './exposition.ts';
export { labelText, type MetricSpec, type Sample } from './family.ts';
export { Metrics } from './metrics.ts';
export { observeProcess } from './process.ts';
export { observedTransport } from './restClient.ts';
