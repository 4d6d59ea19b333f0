import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, opt, string, struct } from '../../schema.ts';
import { ageColumn } from '../columns.ts';

export const PriorityClassSchema = struct('io.k8s.api.scheduling.v1.PriorityClass', 'A named priority for pods.', {
  ...objectFields,
  description: opt(4, string, 'Description of when to use the class.'),
  globalDefault: opt(3, boolean, 'Whether pods without a class get it.'),
  preemptionPolicy: opt(5, string, {
    default: 'PreemptLowerPriority',
    pointer: true,
    doc: 'Whether its pods may push others out: PreemptLowerPriority or Never.',
  }),
  value: opt(2, int32, 'The priority; higher goes first.'),
});
export interface PriorityClass extends Infer<typeof PriorityClassSchema> {}

export const PriorityClass = defineKind<PriorityClass>({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
  shortNames: ['pc'],
  schema: PriorityClassSchema,
  generation: true,
  columns: [
    {
      name: 'Value',
      type: 'integer',
      description: 'Priority of the pods. Higher values go first.',
      value: ({ value }) => value ?? 0,
    },
    {
      name: 'Global-Default',
      type: 'boolean',
      description: 'Whether pods without a class get this one.',
      value: ({ globalDefault }) => globalDefault ?? false,
    },
    ageColumn,
    {
      name: 'PreemptionPolicy',
      type: 'string',
      description: 'Whether its pods may push others out.',
      value: ({ preemptionPolicy }) => preemptionPolicy ?? 'PreemptLowerPriority',
    },
  ],
});
