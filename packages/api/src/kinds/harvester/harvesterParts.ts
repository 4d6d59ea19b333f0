import { type Infer, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const HarvesterCondition = struct('io.harvesterhci.v1beta1.Condition', 'One observation about an object.', {
  lastTransitionTime: optional(string, 'When the status of the condition last changed.'),
  lastUpdateTime: optional(string, 'When anything about the condition last changed.'),
  message: optional(string, 'The same in words, for people.'),
  reason: optional(string, 'Why, in one CamelCase word.'),
  status: required(string, 'True, False or Unknown.'),
  type: required(string, 'What the condition is about.'),
});
export interface HarvesterCondition extends Infer<typeof HarvesterCondition> {}
