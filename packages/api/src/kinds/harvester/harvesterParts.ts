import { type Infer, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const HarvesterCondition = struct('io.harvesterhci.v1beta1.Condition', 'A condition of a Harvester object.', {
  lastTransitionTime: optional(string, 'When the status of the condition last changed.'),
  lastUpdateTime: optional(string, 'When anything about the condition last changed.'),
  message: optional(string, 'Human-readable details about the last transition.'),
  reason: optional(string, 'Reason for the last transition as one CamelCase word.'),
  status: required(string, 'Whether the condition holds: True, False or Unknown.'),
  type: required(string, 'Name of the condition, such as Imported.'),
});
export interface HarvesterCondition extends Infer<typeof HarvesterCondition> {}
