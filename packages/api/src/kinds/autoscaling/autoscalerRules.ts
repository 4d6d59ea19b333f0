import { formatFirst } from '../columns.ts';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
} from './horizontalPodAutoscaler.ts';
import type { MetricSpec, MetricStatus } from './metrics.ts';

type Value = { averageUtilization?: number; averageValue?: string | number; value?: string | number };

/** Each metric as `current/target`, two of them at most. */
export function formatTargets({ spec, status }: HorizontalPodAutoscaler): string {
  const metrics = spec?.metrics ?? [];
  const texts = metrics.map((metric, index) => formatMetric(metric, status?.currentMetrics?.[index]));
  return formatFirst(texts, 2, '<none>').replaceAll(',', ', ');
}

function formatMetric(metric: MetricSpec, measured: MetricStatus | undefined): string {
  const { target, prefix, current } = partsOf(metric, measured);
  const isUtilization = target?.averageUtilization !== undefined;
  if (isUtilization) {
    const now = current?.averageUtilization;
    return `${prefix}${now === undefined ? '<unknown>' : `${now}%`}/${target.averageUtilization}%`;
  }
  if (target?.averageValue !== undefined) {
    return `${prefix}${current?.averageValue ?? '<unknown>'}/${target.averageValue}${metric.type === 'External' || metric.type === 'Object' ? ' (avg)' : ''}`;
  }
  return `${prefix}${current?.value ?? '<unknown>'}/${target?.value ?? '<auto>'}`;
}

function partsOf(
  metric: MetricSpec,
  measured: MetricStatus | undefined,
): { target?: Value; current?: Value; prefix: string } {
  if (metric.resource) {
    return {
      target: metric.resource.target,
      current: measured?.resource?.current,
      prefix: `${metric.resource.name}: `,
    };
  }
  if (metric.containerResource) {
    return {
      target: metric.containerResource.target,
      current: measured?.containerResource?.current,
      prefix: `${metric.containerResource.name}: `,
    };
  }
  if (metric.pods) return { target: metric.pods.target, current: measured?.pods?.current, prefix: '' };
  if (metric.object) return { target: metric.object.target, current: measured?.object?.current, prefix: '' };
  return { target: metric.external?.target, current: measured?.external?.current, prefix: '' };
}

/** The load that is kept when nobody says which, and the pace of scaling where only part of it is given. */
export function applyAutoscalerDefaults(spec: HorizontalPodAutoscalerSpec): void {
  if (!spec.metrics?.length) {
    spec.metrics = [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
    ];
  }
  if (!spec.behavior) return;
  spec.behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
    ...spec.behavior.scaleUp,
  };
  const scaleDown: HPAScalingRules = {
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    ...spec.behavior.scaleDown,
  };
  spec.behavior.scaleDown = scaleDown;
}
