import { type Infer, int64, opt, req, string, struct, time } from '../../schema.ts';

export const Condition = struct('io.k8s.apimachinery.pkg.apis.meta.v1.Condition', 'One observation about an object.', {
  lastTransitionTime: req(4, time, 'When the status of the condition last changed.'),
  message: req(6, string, 'The same in words, for people.'),
  observedGeneration: opt(3, int64, 'The generation that the condition speaks of.'),
  reason: req(5, string, 'Why, in one CamelCase word.'),
  status: req(2, string, 'True, False or Unknown.'),
  type: req(1, string, 'What the condition is about.'),
});
export interface Condition extends Infer<typeof Condition> {}
