import { objectFields } from '../../meta.ts';
import { type Infer, opt, struct } from '../../schema.ts';
import { DeleteOptionsSchema } from '../meta/deleteOptions.ts';

export const EvictionSchema = struct('io.k8s.api.policy.v1.Eviction', 'Asks a pod to go, if its budget allows.', {
  ...objectFields,
  deleteOptions: opt(2, DeleteOptionsSchema, 'How to delete it.'),
});
export interface Eviction extends Infer<typeof EvictionSchema> {}
