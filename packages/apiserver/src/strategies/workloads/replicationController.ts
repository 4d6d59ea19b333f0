import { type FieldError, field, type ReplicationController, type ReplicationControllerSpec } from '@vireo/api';
import { selectorFromObject } from '@vireo/api/labelSelector.ts';
import { defineStrategy } from '../define.ts';
import { nonNegative } from '../fields.ts';
import { podTemplateWarnings } from '../podSpec/warnings.ts';
import { validateAlwaysRestarts, validatePodTemplate } from '../podTemplate.ts';
import { validateLabels } from '../selectors.ts';

export const replicationControllerStrategy = defineStrategy<ReplicationController>({
  prepareForCreate(controller) {
    controller.status = { replicas: 0 };
  },

  validate({ spec }, { subresource }) {
    if (subresource === 'status') return [];
    if (!spec) return [field.required('spec')];
    return [
      ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...validateSelector(spec),
      ...nonNegative('spec.replicas', spec.replicas),
      ...validatePodTemplate(spec.template, 'spec.template'),
      ...validateAlwaysRestarts(spec.template, 'ReplicationController'),
    ];
  },

  warnings: ({ spec }) => podTemplateWarnings(spec?.template),
});

function validateSelector({ selector = {}, template }: ReplicationControllerSpec): FieldError[] {
  if (Object.keys(selector).length === 0) return [field.required('spec.selector')];
  const labels = template?.metadata?.labels ?? {};
  if (!template || selectorFromObject({ matchLabels: selector }).matches(labels))
    return validateLabels(selector, 'spec.selector');
  return [field.invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}
