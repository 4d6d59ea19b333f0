import { type Infer, string, struct, time } from '../../schema.ts';
import { conditionFields, optional } from '../customResource.ts';

export const SnapshotCondition = struct(
  'io.kubevirt.snapshot.v1beta1.Condition',
  'A condition of a snapshot or restore, such as Ready or Progressing.',
  conditionFields,
);
export interface SnapshotCondition extends Infer<typeof SnapshotCondition> {}

export const SnapshotError = struct('io.kubevirt.snapshot.v1beta1.Error', 'The last error that occurred.', {
  message: optional(string, 'Human-readable description of the error.'),
  time: optional(time, 'Time at which the error occurred.'),
});
export interface SnapshotError extends Infer<typeof SnapshotError> {}
