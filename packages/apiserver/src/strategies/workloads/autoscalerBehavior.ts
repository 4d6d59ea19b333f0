import type { FieldError, HorizontalPodAutoscalerBehavior, HPAScalingRules } from '@vireo/api';
import { field } from '@vireo/api';
import { isNegative } from '../amounts.ts';
import { each, greaterThanZero, oneOf } from '../fields.ts';

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;

/** What is wrong with how fast an autoscaler may act. */
export const validateBehavior = (behavior: HorizontalPodAutoscalerBehavior | undefined, path: string): FieldError[] => [
  ...validateRules(behavior?.scaleUp, `${path}.scaleUp`),
  ...validateRules(behavior?.scaleDown, `${path}.scaleDown`),
];

const atMost = (path: string, value: number | undefined, most: number): FieldError[] =>
  value !== undefined && value > most ? [field.invalid(path, value, `must be less than or equal to ${most}`)] : [];

function validateRules(rules: HPAScalingRules | undefined, path: string): FieldError[] {
  if (!rules) return [];
  const { stabilizationWindowSeconds: window, selectPolicy, policies, tolerance } = rules;
  return [
    ...(window !== undefined && window < 0
      ? [field.invalid(`${path}.stabilizationWindowSeconds`, window, 'must be greater than or equal to zero')]
      : []),
    ...atMost(`${path}.stabilizationWindowSeconds`, window, MAX_WINDOW_SECONDS),
    ...oneOf(`${path}.selectPolicy`, selectPolicy, ['Disabled', 'Max', 'Min']),
    ...(policies?.length ? [] : [field.required(`${path}.policies`, 'must specify at least one Policy')]),
    ...each(policies, `${path}.policies`, (policy, at) => [
      ...oneOf(`${at}.type`, policy.type, ['Percent', 'Pods'], 'required'),
      ...greaterThanZero(`${at}.value`, policy.value),
      ...greaterThanZero(`${at}.periodSeconds`, policy.periodSeconds),
      ...atMost(`${at}.periodSeconds`, policy.periodSeconds, MAX_PERIOD_SECONDS),
    ]),
    ...(tolerance !== undefined && isNegative(tolerance)
      ? [field.invalid(`${path}.tolerance`, tolerance, 'must be greater than or equal to zero')]
      : []),
  ];
}
