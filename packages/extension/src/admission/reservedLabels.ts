import { type FieldError, fieldError, type ObjectMeta } from '@vireo/api';
import { RESERVED_LABELS } from '@vireo/hypervisor';

/** Labels by which the system finds its own objects are not for users to change. */
export function reservedLabelErrors({ labels = {} }: ObjectMeta, { labels: before = {} }: ObjectMeta): FieldError[] {
  const touched = RESERVED_LABELS.filter((label) => labels[label] !== before[label]);
  if (touched.length === 0) return [];
  const what = 'modification of the following reserved kubevirt.io/ labels on a VMI object is prohibited';
  return [fieldError('metadata.labels', `${what}: ${touched.join(', ')}`, 'FieldValueNotSupported')];
}
