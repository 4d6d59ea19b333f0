import { isIP } from 'node:net';
import {
  type FieldError,
  field,
  type HTTPIngressPath,
  type Ingress,
  type IngressBackend,
  type IngressRule,
} from '@vireo/api';
import { dns1035Label, dnsSubdomain } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { each, inRange, invalidFor, optionalText, requiredText } from '../fields.ts';
import { portNameErrors } from '../names.ts';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const BAD_SEQUENCES = ['//', '/./', '/../', '%2f', '%2F'];
const BAD_ENDINGS = ['/..', '/.'];
const WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

export const ingressStrategy = defineStrategy<Ingress>({
  prepareForCreate(ingress, { lookup }) {
    ingress.status = { loadBalancer: {} };
    const { spec, metadata } = ingress;
    if (!spec || spec.ingressClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return;
    const [newest] = lookup
      .list('networking.k8s.io', 'ingressclasses')
      .filter((each) => each.metadata.annotations?.[DEFAULT_CLASS] === 'true')
      .sort((a, b) => Date.parse(b.metadata.creationTimestamp) - Date.parse(a.metadata.creationTimestamp));
    if (newest) spec.ingressClassName = newest.metadata.name;
  },

  validate({ metadata, spec }, { subresource }) {
    if (subresource === 'status') return [];
    const { rules = [], defaultBackend, tls, ingressClassName } = spec ?? {};
    const annotation = metadata.annotations?.[CLASS_ANNOTATION];
    return [
      ...(annotation !== undefined && ingressClassName !== undefined
        ? [
            field.invalid(
              'metadata.annotations[kubernetes.io/ingress.class]',
              annotation,
              'can not be set when the class field is also set',
            ),
          ]
        : []),
      ...(rules.length === 0 && !defaultBackend
        ? [field.invalid('spec', rules, 'either `defaultBackend` or `rules` must be specified')]
        : []),
      ...(defaultBackend ? validateBackend(defaultBackend, 'spec.defaultBackend') : []),
      ...each(rules, 'spec.rules', validateRule),
      ...each(tls, 'spec.tls', ({ hosts, secretName }, path) => [
        ...each(hosts, `${path}.hosts`, (host, at) => invalidFor(at, host, hostErrors(host))),
        ...optionalText(`${path}.secretName`, secretName, dnsSubdomain),
      ]),
      ...(ingressClassName === undefined
        ? []
        : invalidFor('spec.ingressClassName', ingressClassName, dnsSubdomain(ingressClassName))),
    ];
  },
});

const hostErrors = (host: string): string[] => {
  if (!host.includes('*')) return dnsSubdomain(host);
  return host.startsWith('*.') && dnsSubdomain(host.slice(2)).length === 0 ? [] : [WILDCARD];
};

function validateRule({ host, http }: IngressRule, path: string): FieldError[] {
  const isAddress = host !== undefined && isIP(host) !== 0;
  return [
    ...(isAddress ? [field.invalid(`${path}.host`, host, 'must be a DNS name, not an IP address')] : []),
    ...(host && !isAddress ? invalidFor(`${path}.host`, host, hostErrors(host)) : []),
    ...(http && !http.paths?.length ? [field.required(`${path}.http.paths`)] : []),
    ...each(http?.paths, `${path}.http.paths`, validatePath),
  ];
}

function validatePath({ path = '', pathType, backend }: HTTPIngressPath, at: string): FieldError[] {
  return [
    ...validatePathType(path, pathType, at),
    ...(backend ? validateBackend(backend, `${at}.backend`) : [field.required(`${at}.backend`)]),
  ];
}

function validatePathType(path: string, pathType: string | undefined, at: string): FieldError[] {
  if (pathType === undefined) return [field.required(`${at}.pathType`, 'pathType must be specified')];
  if (!PATH_TYPES.includes(pathType)) return [field.notSupported(`${at}.pathType`, pathType, PATH_TYPES)];
  const isAbsolute = path.startsWith('/') || (path === '' && pathType === 'ImplementationSpecific');
  const invalid = (why: string): FieldError => field.invalid(`${at}.path`, path, why);
  return [
    ...(isAbsolute ? [] : [invalid('must be an absolute path')]),
    ...(pathType === 'ImplementationSpecific'
      ? []
      : [
          ...BAD_SEQUENCES.filter((text) => path.includes(text)).map((text) => invalid(`must not contain '${text}'`)),
          ...BAD_ENDINGS.filter((text) => path.endsWith(text)).map((text) => invalid(`cannot end with '${text}'`)),
        ]),
  ];
}

function validateBackend({ service, resource }: IngressBackend, path: string): FieldError[] {
  if (service && resource) return [field.invalid(path, '', 'cannot set both resource and service backends')];
  if (resource)
    return [
      ...requiredText(`${path}.resource.kind`, resource.kind),
      ...requiredText(`${path}.resource.name`, resource.name),
    ];
  if (!service) return [field.required(path, 'resource or service backend is required')];
  const { name, number } = service.port ?? {};
  return [
    ...requiredText(`${path}.service.name`, service.name, dns1035Label),
    ...(name && number ? [field.invalid(path, '', 'cannot set both port name & port number')] : []),
    ...(name && !number ? invalidFor(`${path}.service.port.name`, name, portNameErrors(name)) : []),
    ...(number && !name ? inRange(`${path}.service.port.number`, number, 1, 65_535) : []),
    ...(name || number ? [] : [field.required(path, 'port name or number is required')]),
  ];
}
