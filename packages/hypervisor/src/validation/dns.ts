import { isIP } from 'node:net';
import { fieldError } from '@vireo/api';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { type Rule, when } from './rule.ts';

const POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None', ''];

/** Kubernetes' rules for a pod's DNS, which the launcher will be. */
export const dns: Rule = ({ spec, path }) => {
  const policy: string | undefined = spec.dnsPolicy;
  const field = `${path}.dnsConfig`;
  const unknown = when(
    policy !== undefined && !POLICIES.includes(policy),
    `${path}.dnsPolicy`,
    `DNSPolicy: ${policy} is not supported, valid values: [${POLICIES.join(' ')}]`,
    'FieldValueNotSupported',
  );
  const { nameservers = [], searches = [], options = [] } = spec.dnsConfig ?? {};
  if (policy === 'None' && nameservers.length === 0) {
    const text = spec.dnsConfig
      ? 'must provide at least one DNS nameserver when `dnsPolicy` is None'
      : 'must provide `dnsConfig` when `dnsPolicy` is None';
    return [...unknown, fieldError(spec.dnsConfig ? `${field}.nameservers` : field, text, 'FieldValueRequired')];
  }
  return [
    ...unknown,
    ...when(
      nameservers.length > 3,
      `${field}.nameservers`,
      `must not have more than 3 nameservers: [${nameservers.join(' ')}]`,
    ),
    ...nameservers.flatMap((server) =>
      when(!isIP(server), `${field}.nameservers`, `must be valid IP address: ${server}`),
    ),
    ...when(searches.length > 6, `${field}.searches`, 'must not have more than 6 search paths'),
    ...when(
      searches.join(' ').length > 256,
      `${field}.searches`,
      'must not have more than 256 characters (including spaces) in the search list',
    ),
    ...searches.flatMap((search) => dnsSubdomain(search).map((why) => fieldError(`${field}.searches`, why))),
    ...options.flatMap(({ name }) => when(!name, `${field}.options`, 'Option.Name must not be empty')),
  ];
};
