import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, opt, struct } from '../../schema.ts';
import { templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from './podDefaults.ts';
import { PodTemplateSpec } from './podTemplate.ts';

export const PodTemplateSchema = struct('io.k8s.api.core.v1.PodTemplate', 'A template for pods, kept as an object.', {
  ...objectFields,
  template: opt(2, PodTemplateSpec, 'Template for pods.'),
});
export interface PodTemplate extends Infer<typeof PodTemplateSchema> {}

export const PodTemplate = defineKind<PodTemplate>({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  schema: PodTemplateSchema,
  generation: true,
  columns: [
    ...templateColumns<PodTemplate>(({ template }) => ({ ...(template && { template }) }))
      .filter(({ name }) => name !== 'Selector')
      .map((column) => ({ ...column, priority: 0 })),
    {
      name: 'Pod Labels',
      type: 'string',
      description: 'Labels of the pods.',
      value: ({ template }) => {
        const labels = Object.entries(template?.metadata?.labels ?? {}).map(([key, value]) => `${key}=${value}`);
        return labels.length > 0 ? labels.sort().join(',') : '<none>';
      },
    },
  ],
  applyDefaults: ({ template }) => applyTemplateDefaults(template),
});
