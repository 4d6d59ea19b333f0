import { field, type ReplicaSet } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { nonNegative } from '../fields.ts';
import { podTemplateWarnings } from '../podSpec/warnings.ts';
import {
  immutableSelector,
  validateAlwaysRestarts,
  validatePodTemplate,
  validateSelectorOfTemplate,
} from '../podTemplate.ts';

export const replicaSetStrategy = defineStrategy<ReplicaSet>({
  prepareForCreate(replicaSet) {
    replicaSet.status = { replicas: 0 };
  },

  validate({ spec }, { subresource }) {
    if (subresource === 'status') return [];
    if (!spec) return [field.required('spec')];
    return [
      ...nonNegative('spec.replicas', spec.replicas),
      ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...validateSelectorOfTemplate(spec.selector, spec.template, 'replicaset'),
      ...validatePodTemplate(spec.template, 'spec.template'),
      ...validateAlwaysRestarts(spec.template, 'ReplicaSet'),
    ];
  },

  warnings: ({ spec }) => podTemplateWarnings(spec?.template),

  validateUpdate: (replicaSet, old) => immutableSelector(replicaSet.spec?.selector, old.spec?.selector),
});
