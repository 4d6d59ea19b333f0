import { type Infer, int64, opt, req, string, struct, time } from '../../schema.ts';

export const Condition = struct(
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition',
  'A condition of an object, such as Ready.',
  {
    lastTransitionTime: req(4, time, 'When the status of the condition last changed.'),
    message: req(6, string, 'Human-readable details about the last transition.'),
    observedGeneration: opt(3, int64, 'The generation that the condition speaks of.'),
    reason: req(5, string, 'Reason for the last transition as one CamelCase word.'),
    status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
    type: req(1, string, 'Name of the condition, such as Ready.'),
  },
);
export interface Condition extends Infer<typeof Condition> {}
