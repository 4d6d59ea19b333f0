import { type Infer, string, struct, time } from '../../schema.ts';
import { conditionFields, optional } from '../customResource.ts';

export const SnapshotCondition = struct(
  'io.kubevirt.snapshot.v1beta1.Condition',
  'One observation about a snapshot or a restore.',
  conditionFields,
);
export interface SnapshotCondition extends Infer<typeof SnapshotCondition> {}

export const SnapshotError = struct('io.kubevirt.snapshot.v1beta1.Error', 'What last went wrong.', {
  message: optional(string, 'Details, for people.'),
  time: optional(time, 'When.'),
});
export interface SnapshotError extends Infer<typeof SnapshotError> {}
