import { objectFields } from '../../meta.ts';
import { type Infer, opt, struct } from '../../schema.ts';
import { DeleteOptionsSchema } from '../meta/deleteOptions.ts';

export const EvictionSchema = struct(
  'io.k8s.api.policy.v1.Eviction',
  'Evicts a pod if its disruption budget allows it.',
  {
    ...objectFields,
    deleteOptions: opt(2, DeleteOptionsSchema, 'Options of the deletion.'),
  },
);
export interface Eviction extends Infer<typeof EvictionSchema> {}
