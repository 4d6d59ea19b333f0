import { field, type HorizontalPodAutoscaler } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { each } from '../fields.ts';
import { validateBehavior } from './autoscalerBehavior.ts';
import { validateMetric, validateReference } from './autoscalerMetrics.ts';

export const horizontalPodAutoscalerStrategy = defineStrategy<HorizontalPodAutoscaler>({
  prepareForCreate(autoscaler) {
    autoscaler.status = { currentReplicas: 0, desiredReplicas: 0 };
  },

  validate({ spec }, { subresource }) {
    if (subresource === 'status') return [];
    if (!spec) return [field.required('spec')];
    const { minReplicas = 1, maxReplicas, scaleTargetRef } = spec;
    return [
      ...(minReplicas < 1
        ? [field.invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1')]
        : []),
      ...((maxReplicas ?? 0) < 1 ? [field.required('spec.maxReplicas', 'must be set and greater than 0')] : []),
      ...((maxReplicas ?? 0) < minReplicas
        ? [field.invalid('spec.maxReplicas', maxReplicas ?? 0, 'must be greater than or equal to `minReplicas`')]
        : []),
      ...validateReference(scaleTargetRef, 'spec.scaleTargetRef'),
      ...each(spec.metrics, 'spec.metrics', validateMetric),
      ...validateBehavior(spec.behavior, 'spec.behavior'),
    ];
  },
});
