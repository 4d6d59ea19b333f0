import { type FieldError, field, type ResourceQuota } from '@vireo/api';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { type Amount, isFractional, isNegative, isQuantity } from '../amounts.ts';
import { defineStrategy } from '../define.ts';
import { each, invalidFor, oneOf } from '../fields.ts';
import { immutable } from '../immutable.ts';

const SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
];
const EXCLUSIVE = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const COUNTS = new Set([
  'pods',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]);
const MEASURES = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);

export const resourceQuotaStrategy = defineStrategy<ResourceQuota>({
  prepareForCreate(quota) {
    quota.status = {};
  },

  validate: ({ spec }, { subresource }) =>
    subresource === 'status'
      ? []
      : [
          ...Object.entries(spec?.hard ?? {}).flatMap(([name, amount]) =>
            validateHard(name, amount, `spec.hard[${name}]`),
          ),
          ...validateScopes(spec?.scopes ?? []),
          ...each(spec?.scopeSelector?.matchExpressions, 'spec.scopeSelector.matchExpressions', (expression, at) => [
            ...oneOf(`${at}.scopeName`, expression.scopeName, SCOPES, 'required'),
            ...validateValues(expression.operator, expression.values ?? [], at),
          ]),
        ],

  validateUpdate: ({ spec }, { spec: old }) => immutable('spec.scopes', spec?.scopes, old?.scopes),
});

function validateHard(name: string, amount: Amount, path: string): FieldError[] {
  const wrongForm = invalidFor(path, name, qualifiedNameErrors(name));
  if (wrongForm.length > 0) return wrongForm;
  const isCount = COUNTS.has(name) || name.startsWith('count/');
  const isKnown = isCount || MEASURES.has(name) || name.includes('/') || /^(requests\.)?hugepages-/.test(name);
  if (!isKnown) return [field.invalid(path, name, 'must be a standard resource for quota')];
  if (!isQuantity(amount) || isNegative(amount)) {
    return [field.invalid(path, String(amount), 'must be greater than or equal to 0')];
  }
  return isCount && isFractional(amount) ? [field.invalid(path, String(amount), 'must be an integer')] : [];
}

const validateScopes = (scopes: readonly string[]): FieldError[] => [
  ...scopes
    .filter((scope) => !SCOPES.includes(scope))
    .map((scope) => field.invalid('spec.scopes', scope, 'unsupported scope')),
  ...EXCLUSIVE.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() =>
    field.invalid('spec.scopes', scopes, 'conflicting scopes'),
  ),
];

function validateValues(operator: string | undefined, values: readonly string[], path: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [
            field.required(
              `${path}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [
            field.invalid(
              `${path}.values`,
              values,
              "must be no value when `operator` is 'Exists' or 'DoesNotExist' for scope selector",
            ),
          ];
    default:
      return [field.invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator')];
  }
}
