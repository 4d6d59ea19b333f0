import { isIPv6 } from 'node:net';
import { type FieldError, field, type Service, type ServiceSpec } from '@vireo/api';
import { duplicates, each } from '../fields.ts';
import { sameValue } from '../immutable.ts';

/** An IP family, as Services name it. */
export type IpFamily = 'IPv4' | 'IPv6';

const FAMILIES: readonly string[] = ['IPv4', 'IPv6'];
const POLICY = 'spec.ipFamilyPolicy';

const familyOf = (address: string): IpFamily => (isIPv6(address) ? 'IPv6' : 'IPv4');

/** The endpoints of a Service that has neither a cluster IP nor a selector are whoever's: it may name any family. */
const isUnbound = ({ clusterIP, selector = {} }: ServiceSpec): boolean =>
  clusterIP === 'None' && Object.keys(selector).length === 0;

/**
 * Fills in the policy and the families of a Service: those of its addresses, else IPv4, and the other one, too, if it wants
 * both and the cluster has both. A Service changes between one family and two only if its policy says so. `spec` is the
 * caller's to change.
 */
export function chooseFamilies(spec: ServiceSpec, old: ServiceSpec | undefined, available: readonly IpFamily[]): void {
  spec.ipFamilyPolicy ||= old?.ipFamilyPolicy ?? (isUnbound(spec) ? 'RequireDualStack' : 'SingleStack');
  const { ipFamilyPolicy: policy } = spec;
  if (old && policy === 'SingleStack') {
    if (sameValue(spec.clusterIPs, old.clusterIPs)) spec.clusterIPs = spec.clusterIPs?.slice(0, 1);
    if (sameValue(spec.ipFamilies, old.ipFamilies)) spec.ipFamilies = spec.ipFamilies?.slice(0, 1);
  }
  const families = [...(spec.ipFamilies ?? [])];
  const addresses = spec.clusterIP === 'None' ? [] : (spec.clusterIPs ?? []);
  families.push(...addresses.slice(families.length).map(familyOf));
  if (families.length === 0) families.push('IPv4');
  if (policy !== 'SingleStack' && families.length === 1 && !isSettled(spec, old) && hasBoth(spec, available))
    families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  spec.ipFamilies = families;
}

const hasBoth = (spec: ServiceSpec, available: readonly IpFamily[]): boolean =>
  isUnbound(spec) || available.length === 2;

/** One that prefers two families, and has one, keeps it when the cluster gets the other; nor does one that had two get a third. */
const isSettled = (spec: ServiceSpec, old: ServiceSpec | undefined): boolean =>
  old?.ipFamilies?.length === 2 ||
  (old?.ipFamilyPolicy === 'PreferDualStack' &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    sameValue(spec.clusterIPs, old.clusterIPs));

/** What is wrong with the families of a Service. */
export function validateFamilies({ spec = {} }: Service, available: readonly IpFamily[]): FieldError[] {
  const { ipFamilies = [], ipFamilyPolicy, clusterIPs = [] } = spec;
  const isDual = ipFamilyPolicy === 'RequireDualStack' || ipFamilyPolicy === 'PreferDualStack';
  return [
    ...(ipFamilies.length > 2 ? [field.invalid('spec.ipFamilies', ipFamilies, 'may only hold up to 2 values')] : []),
    ...duplicates(
      ipFamilies,
      (family) => family,
      (index) => `spec.ipFamilies[${index}]`,
    ),
    ...each(ipFamilies, 'spec.ipFamilies', (family, at) => {
      if (!FAMILIES.includes(family)) return [field.notSupported(at, family, FAMILIES)];
      return isUnbound(spec) || available.some((one) => one === family)
        ? []
        : [field.invalid(at, family, 'not configured on this cluster')];
    }),
    ...(ipFamilyPolicy === 'RequireDualStack' && !hasBoth(spec, available)
      ? [field.invalid(POLICY, ipFamilyPolicy, 'this cluster is not configured for dual-stack services')]
      : []),
    ...(clusterIPs.length > 1 && !isDual
      ? [field.invalid(POLICY, ipFamilyPolicy ?? null, mustBeDual('cluster IPs'))]
      : []),
    ...(ipFamilies.length > 1 && !isDual
      ? [field.invalid(POLICY, ipFamilyPolicy ?? null, mustBeDual('IP families'))]
      : []),
    ...validateAddressFamilies(clusterIPs, ipFamilies),
  ];
}

const mustBeDual = (what: string): string =>
  `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;

function validateAddressFamilies(addresses: readonly string[], families: readonly string[]): FieldError[] {
  if (addresses[0] === 'None') return [];
  if (addresses.length > 2) return [field.invalid('spec.clusterIPs', addresses, 'may only hold up to 2 values')];
  const [first = '', second] = addresses;
  if (second !== undefined && familyOf(first) === familyOf(second)) {
    const message = 'may specify no more than one IP for each IP family';
    return [field.invalid('spec.clusterIPs', addresses, message)];
  }
  return addresses.flatMap((address, index) => {
    const family = families[index];
    if (address === '' || family === undefined || family === familyOf(address)) return [];
    const message = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [field.invalid(`spec.clusterIPs[${index}]`, address, message)];
  });
}

/** What is wrong with a change of families: the first is for ever, and only a policy gives the second back. */
export function validateSameFamilies({ spec = {} }: Service, { spec: old = {} }: Service): FieldError[] {
  const isSingle = spec.ipFamilyPolicy === 'SingleStack';
  const isReduced = (field: 'clusterIPs' | 'ipFamilies'): boolean =>
    !isSingle && (old[field]?.length ?? 0) === 2 && spec[field]?.length === 1;
  const second = spec.clusterIPs?.[1];
  return [
    ...(old.ipFamilies?.[0] && spec.ipFamilies?.[0] && old.ipFamilies[0] !== spec.ipFamilies[0]
      ? [field.invalid('spec.ipFamilies[0]', spec.ipFamilies, 'may not change once set')]
      : []),
    ...(old.clusterIPs?.[1] && second && old.clusterIPs[1] !== second
      ? [field.invalid('spec.clusterIPs[1]', spec.clusterIPs ?? [], 'may not change once set')]
      : []),
    ...(isReduced('clusterIPs')
      ? [
          field.invalid(
            POLICY,
            spec.ipFamilyPolicy ?? null,
            "must be 'SingleStack' to release the secondary cluster IP",
          ),
        ]
      : []),
    ...(isReduced('ipFamilies')
      ? [field.invalid(POLICY, spec.ipFamilyPolicy ?? null, "must be 'SingleStack' to release the secondary IP family")]
      : []),
  ];
}
