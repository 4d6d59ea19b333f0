import { type APIService, type APIServiceSpec, type FieldError, field } from '@vireo/api';
import { dns1035Label, dnsSubdomain } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { inRange, invalidFor, requiredText } from '../fields.ts';

const MAX_GROUP_PRIORITY = 20_000;
const MAX_VERSION_PRIORITY = 1_000;

export const apiServiceStrategy = defineStrategy<APIService>({
  unconditionalUpdate: false,
  nameRule: 'path',

  prepareForCreate(apiService) {
    apiService.status = apiService.spec?.service
      ? {}
      : {
          conditions: [
            {
              type: 'Available',
              status: 'True',
              reason: 'Local',
              message: 'Local APIServices are always available',
              ...(apiService.metadata.creationTimestamp && {
                lastTransitionTime: apiService.metadata.creationTimestamp,
              }),
            },
          ],
        };
  },

  validate({ metadata, spec }, { subresource }) {
    if (subresource === 'status') return [];
    if (!spec) return [field.required('spec')];
    const expected = `${spec.version ?? ''}.${spec.group ?? ''}`;
    return [
      ...(metadata.name === expected
        ? []
        : [
            field.invalid(
              'metadata.name',
              metadata.name ?? '',
              `must be \`spec.version+"."+spec.group\`: "${expected}"`,
            ),
          ]),
      ...(spec.group || spec.version === 'v1'
        ? []
        : [field.required('spec.group', 'only v1 may have an empty group and it better be legacy kube')]),
      ...(spec.group ? invalidFor('spec.group', spec.group, dnsSubdomain(spec.group)) : []),
      ...requiredText('spec.version', spec.version, dns1035Label),
      ...priority(spec.groupPriorityMinimum, MAX_GROUP_PRIORITY, 'spec.groupPriorityMinimum'),
      ...priority(spec.versionPriority, MAX_VERSION_PRIORITY, 'spec.versionPriority'),
      ...validateService(spec),
    ];
  },
});

const priority = (value: number | undefined, most: number, path: string): FieldError[] =>
  inRange(path, value ?? 0, 1, most).map(() =>
    field.invalid(path, value ?? 0, `must be positive and less than ${most}`),
  );

function validateService({ caBundle, insecureSkipTLSVerify, service }: APIServiceSpec): FieldError[] {
  if (!service) {
    return [
      ...(caBundle
        ? [field.invalid('spec.caBundle', `${caBundle.length} bytes`, 'local APIServices may not have a caBundle')]
        : []),
      ...(insecureSkipTLSVerify
        ? [field.invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')]
        : []),
    ];
  }
  return [
    ...requiredText('spec.service.namespace', service.namespace),
    ...requiredText('spec.service.name', service.name),
    ...inRange('spec.service.port', service.port, 1, 65535),
    ...(insecureSkipTLSVerify && caBundle
      ? [field.invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')]
      : []),
  ];
}
