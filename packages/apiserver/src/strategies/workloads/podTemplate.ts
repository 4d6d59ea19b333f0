import type { PodTemplate } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { podTemplateWarnings } from '../podSpec/warnings.ts';
import { validatePodTemplate } from '../podTemplate.ts';

export const podTemplateStrategy = defineStrategy<PodTemplate>({
  validate: ({ template }) => validatePodTemplate(template, 'template'),
  warnings: ({ template }) => podTemplateWarnings(template),
});
