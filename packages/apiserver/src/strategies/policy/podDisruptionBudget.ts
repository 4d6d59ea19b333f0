import { field, type PodDisruptionBudget } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { oneOf } from '../fields.ts';
import { atMostAll, validateIntOrPercent } from '../intOrPercent.ts';
import { validateLabelSelector } from '../selectors.ts';

export const podDisruptionBudgetStrategy = defineStrategy<PodDisruptionBudget>({
  unconditionalUpdate: false,

  prepareForCreate(budget) {
    budget.status = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
  },

  validate({ spec = {} }, { subresource }) {
    if (subresource === 'status') return [];
    return [
      ...(spec.minAvailable !== undefined && spec.maxUnavailable !== undefined
        ? [field.invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')]
        : []),
      ...(['minAvailable', 'maxUnavailable'] as const).flatMap((name) => [
        ...validateIntOrPercent(spec[name], `spec.${name}`),
        ...atMostAll(spec[name], `spec.${name}`),
      ]),
      ...validateLabelSelector(spec.selector, 'spec.selector'),
      ...oneOf('spec.unhealthyPodEvictionPolicy', spec.unhealthyPodEvictionPolicy, ['AlwaysAllow', 'IfHealthyBudget']),
    ];
  },
});
