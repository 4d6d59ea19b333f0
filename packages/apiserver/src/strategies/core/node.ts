import { type FieldError, field, type Node, type Taint } from '@vireo/api';
import { labelValueErrors, qualifiedNameErrors } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, each, invalidFor, oneOf, requiredText } from '../fields.ts';
import { sameValue } from '../immutable.ts';
import { TAINT_EFFECTS } from '../podSpec/scheduling.ts';
import { isCidr } from './addresses.ts';

export const nodeStrategy = defineStrategy<Node>({
  validate: ({ spec }) => [
    ...validateTaints(spec?.taints, 'spec.taints'),
    ...each(spec?.podCIDRs, 'spec.podCIDRs', (range, at) =>
      isCidr(range)
        ? []
        : [field.invalid(at, range, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')],
    ),
    ...((spec?.podCIDRs ?? []).length > 0 && spec?.podCIDR && spec.podCIDR !== spec.podCIDRs?.[0]
      ? [field.invalid('spec.podCIDR', spec.podCIDR, 'must be the first of podCIDRs')]
      : []),
  ],

  /** An unset field may be filled in once; then it stays. */
  validateUpdate: ({ spec }, { spec: old }) => [
    ...((old?.podCIDRs ?? []).length > 0 && !sameValue(spec?.podCIDRs, old?.podCIDRs)
      ? [field.forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')]
      : []),
    ...(old?.providerID && spec?.providerID !== old.providerID
      ? [field.forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid')]
      : []),
  ],
});

function validateTaints(taints: readonly Taint[] | undefined, path: string): FieldError[] {
  return [
    ...each(taints, path, (taint, at) => [
      ...requiredText(`${at}.key`, taint.key, qualifiedNameErrors),
      ...invalidFor(`${at}.value`, taint.value ?? '', labelValueErrors(taint.value ?? '')),
      ...oneOf(`${at}.effect`, taint.effect, TAINT_EFFECTS, 'required'),
    ]),
    ...duplicates(
      taints,
      ({ key, effect }) => (key && effect ? `${key}:${effect}` : undefined),
      (index) => `${path}[${index}]`,
    ),
  ];
}
