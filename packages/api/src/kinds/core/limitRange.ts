import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, quantity, req, string, struct } from '../../schema.ts';

export const LimitRangeItem = struct('io.k8s.api.core.v1.LimitRangeItem', 'Limits for one type of object.', {
  default: opt(4, map(quantity), 'Limit of a container that names none.'),
  defaultRequest: opt(5, map(quantity), 'Request of a container that names none.'),
  max: opt(2, map(quantity), 'Maximum amount of each resource.'),
  maxLimitRequestRatio: opt(6, map(quantity), 'Maximum ratio between a limit and its request.'),
  min: opt(3, map(quantity), 'Minimum amount of each resource.'),
  type: req(1, string, 'Type of the object: Pod, Container or PersistentVolumeClaim.'),
});
export interface LimitRangeItem extends Infer<typeof LimitRangeItem> {}

export const LimitRangeSpec = struct('io.k8s.api.core.v1.LimitRangeSpec', 'Limits for objects of the namespace.', {
  limits: req(1, list(LimitRangeItem, 'atomic'), 'Limits for each type of object.'),
});
export interface LimitRangeSpec extends Infer<typeof LimitRangeSpec> {}

export const LimitRangeSchema = struct(
  'io.k8s.api.core.v1.LimitRange',
  'Limits for single objects of a namespace, and defaults for those that set none.',
  {
    ...objectFields,
    spec: opt(2, LimitRangeSpec, 'Limits for objects of the namespace.'),
  },
);
export interface LimitRange extends Infer<typeof LimitRangeSchema> {}

/** A container that names no limit gets the largest allowed, one that names no request gets its limit. */
function applyItemDefaults(item: LimitRangeItem): void {
  if (item.type !== 'Container') return;
  item.default = { ...item.max, ...item.default };
  item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  if (Object.keys(item.default).length === 0) delete item.default;
  if (Object.keys(item.defaultRequest).length === 0) delete item.defaultRequest;
}

export const LimitRange = defineKind<LimitRange>({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  namespaced: true,
  shortNames: ['limits'],
  schema: LimitRangeSchema,
  columns: [
    {
      name: 'Created At',
      type: 'date',
      description: 'Time at which the object was created.',
      value: (range) => range.metadata.creationTimestamp,
    },
  ],
  applyDefaults: (range) => range.spec?.limits?.forEach(applyItemDefaults),
});
