import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';
import { type Rule, when } from './rule.ts';

/** Host name and subdomain become names in DNS. */
export const hostname: Rule = ({ spec, path }) => {
  const label = spec.hostname ? dnsLabel(spec.hostname) : [];
  const subdomain = spec.subdomain ? dnsSubdomain(spec.subdomain) : [];
  const refusal = (field: string, rules: string, errors: string[]) =>
    when(errors.length, field, `${field} does not conform to the kubernetes ${rules} rules : ${errors.join(', ')}`);
  return [
    ...refusal(`${path}.hostname`, 'DNS_LABEL', label),
    ...refusal(`${path}.subdomain`, 'DNS_SUBDOMAIN', subdomain),
  ];
};
