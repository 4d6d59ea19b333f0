import { isIPv6 } from 'node:net';
import { type FieldError, field, type ServiceCIDR } from '@vireo/api';
import { isCidr } from '../core/addresses.ts';
import { defineStrategy } from '../define.ts';
import { each } from '../fields.ts';
import { immutable, restore } from '../immutable.ts';

const PATH = 'spec.cidrs';

export const serviceCidrStrategy = defineStrategy<ServiceCIDR>({
  prepareForCreate(range) {
    delete range.status;
  },
  prepareForUpdate(range, old, { subresource }) {
    restore(range, old, subresource === 'status' ? 'spec' : 'status');
  },
  validate: ({ spec }) => [
    ...validateCount(spec?.cidrs ?? []),
    ...each(spec?.cidrs, PATH, (cidr, at) =>
      isCidr(cidr) ? [] : [field.invalid(at, cidr, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')],
    ),
  ],
  validateUpdate: ({ spec }, { spec: old }) => immutable(PATH, spec?.cidrs, old?.cidrs),
});

function validateCount(cidrs: readonly string[]): FieldError[] {
  if (cidrs.length === 0) return [field.required(PATH, 'at least one CIDR required')];
  if (cidrs.length > 2) return [field.invalid(PATH, cidrs, 'may only hold up to 2 values')];
  const families = new Set(cidrs.map((cidr) => isIPv6(cidr.split('/')[0] ?? '')));
  return families.size === cidrs.length
    ? []
    : [
        field.invalid(
          PATH,
          cidrs,
          'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
        ),
      ];
}
