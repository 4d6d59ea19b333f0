import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { type Infer, list, map, opt, quantity, req, string, struct } from '../../schema.ts';

export const LimitRangeItem = struct('io.k8s.api.core.v1.LimitRangeItem', '', {
  default: opt(4, map(quantity)),
  defaultRequest: opt(5, map(quantity)),
  max: opt(2, map(quantity)),
  maxLimitRequestRatio: opt(6, map(quantity)),
  min: opt(3, map(quantity)),
  type: req(1, string),
});
export interface LimitRangeItem extends Infer<typeof LimitRangeItem> {}

export const LimitRangeSpec = struct('io.k8s.api.core.v1.LimitRangeSpec', '', {
  limits: req(1, list(LimitRangeItem, 'atomic')),
});
export interface LimitRangeSpec extends Infer<typeof LimitRangeSpec> {}

export const LimitRangeSchema = struct('io.k8s.api.core.v1.LimitRange', '', {
  ...objectFields,
  spec: opt(2, LimitRangeSpec),
});
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
      description: 'When the object was made.',
      value: (range) => range.metadata.creationTimestamp,
    },
  ],
  applyDefaults: (range) => range.spec?.limits.forEach(applyItemDefaults),
});
