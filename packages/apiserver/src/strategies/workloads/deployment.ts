import { type Deployment, type DeploymentSpec, type FieldError, field } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { nonNegative, oneOf } from '../fields.ts';
import { atMostAll, isZero, validateIntOrPercent } from '../intOrPercent.ts';
import { podTemplateWarnings } from '../podSpec/warnings.ts';
import {
  immutableSelector,
  validateAlwaysRestarts,
  validatePodTemplate,
  validateSelectorOfTemplate,
} from '../podTemplate.ts';

export const deploymentStrategy = defineStrategy<Deployment>({
  prepareForCreate(deployment) {
    deployment.status = {};
  },

  validate: ({ spec }, { subresource }) => {
    if (subresource === 'status') return [];
    return spec ? validateSpec(spec) : [field.required('spec')];
  },

  warnings: ({ spec }) => podTemplateWarnings(spec?.template),

  validateUpdate: (deployment, old) => immutableSelector(deployment.spec?.selector, old.spec?.selector),
});

const validateSpec = (spec: DeploymentSpec): FieldError[] => [
  ...nonNegative('spec.replicas', spec.replicas),
  ...validateSelectorOfTemplate(spec.selector, spec.template, 'deployment'),
  ...validatePodTemplate(spec.template, 'spec.template'),
  ...validateAlwaysRestarts(spec.template, 'ReplicaSet'),
  ...validateRollout(spec),
  ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
  ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
  ...nonNegative('spec.progressDeadlineSeconds', spec.progressDeadlineSeconds),
  ...(spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds <= (spec.minReadySeconds ?? 0)
    ? [
        field.invalid(
          'spec.progressDeadlineSeconds',
          spec.progressDeadlineSeconds,
          'must be greater than minReadySeconds',
        ),
      ]
    : []),
];

function validateRollout({ strategy }: DeploymentSpec): FieldError[] {
  const path = 'spec.strategy';
  const rolling = strategy?.rollingUpdate;
  const errors = oneOf(`${path}.type`, strategy?.type, ['Recreate', 'RollingUpdate']);
  if (!rolling) return errors;
  if (strategy.type === 'Recreate') {
    return [field.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
  }
  const at = `${path}.rollingUpdate`;
  return [
    ...errors,
    ...validateIntOrPercent(rolling.maxUnavailable, `${at}.maxUnavailable`),
    ...validateIntOrPercent(rolling.maxSurge, `${at}.maxSurge`),
    ...(isZero(rolling.maxUnavailable) && isZero(rolling.maxSurge)
      ? [field.invalid(`${at}.maxUnavailable`, rolling.maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...atMostAll(rolling.maxUnavailable, `${at}.maxUnavailable`),
  ];
}
