import { type DaemonSet, type DaemonSetSpec, type FieldError, field } from '@vireo/api';
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

export const daemonSetStrategy = defineStrategy<DaemonSet>({
  prepareForCreate(daemonSet) {
    daemonSet.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
  },

  validate({ spec }, { subresource }) {
    if (subresource === 'status') return [];
    if (!spec) return [field.required('spec')];
    return [
      ...validateSelectorOfTemplate(spec.selector, spec.template, 'daemonset'),
      ...validatePodTemplate(spec.template, 'spec.template'),
      ...validateAlwaysRestarts(spec.template, 'DaemonSet'),
      ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
      ...validateRollout(spec),
    ];
  },

  warnings: ({ spec }) => podTemplateWarnings(spec?.template),

  validateUpdate: (daemonSet, old) => immutableSelector(daemonSet.spec?.selector, old.spec?.selector),
});

function validateRollout({ updateStrategy }: DaemonSetSpec): FieldError[] {
  const path = 'spec.updateStrategy';
  const rolling = updateStrategy?.rollingUpdate;
  return [
    ...oneOf(`${path}.type`, updateStrategy?.type, ['OnDelete', 'RollingUpdate']),
    ...validateIntOrPercent(rolling?.maxUnavailable, `${path}.rollingUpdate.maxUnavailable`),
    ...validateIntOrPercent(rolling?.maxSurge, `${path}.rollingUpdate.maxSurge`),
    ...atMostAll(rolling?.maxUnavailable, `${path}.rollingUpdate.maxUnavailable`),
    ...(isZero(rolling?.maxUnavailable) && (rolling?.maxSurge === undefined || isZero(rolling.maxSurge))
      ? [field.required(`${path}.rollingUpdate.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]
      : []),
  ];
}
