import { type FieldError, field, type ResourceRequirements } from '@vireo/api';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { compareQuantities } from '@vireo/api/quantity.ts';
import { type Amount, type Amounts, isFractional, isNegative, isQuantity } from '../amounts.ts';
import { duplicates, each, invalidFor, requiredText } from '../fields.ts';

const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage']);
const POD_RESOURCES = new Set([...CONTAINER_RESOURCES, 'storage', 'pods', 'services']);

const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

/** A device or the like that the kubelet counts: `nvidia.com/gpu`, `devices.kubevirt.io/kvm`. Kubernetes' own are not. */
export const isExtendedResource = (name: string): boolean =>
  name.includes('/') && !name.slice(0, name.indexOf('/')).endsWith('kubernetes.io') && !name.startsWith('requests.');

/** What a number of a resource must be: known in form, not negative, whole where it counts things. */
export function validateAmount(name: string, amount: Amount, path: string): FieldError[] {
  if (!isQuantity(amount)) {
    return [
      field.invalid(
        path,
        amount,
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      ),
    ];
  }
  if (isNegative(amount)) return [field.invalid(path, String(amount), 'must be greater than or equal to 0')];
  if ((isExtendedResource(name) || name === 'pods') && isFractional(amount)) {
    return [field.invalid(path, String(amount), 'must be an integer')];
  }
  return [];
}

/** Requests and limits of a container: known names, sane amounts, no request above its limit. */
export function validateResources(
  resources: ResourceRequirements | undefined,
  path: string,
  claimNames: ReadonlySet<string> = new Set(),
): FieldError[] {
  if (!resources) return [];
  const { limits = {}, requests = {} } = resources;
  return [
    ...Object.entries(limits).flatMap(([name, amount]) => validateEntry(name, amount, `${path}.limits[${name}]`)),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...validateEntry(name, amount, `${path}.requests[${name}]`),
      ...requestWithinLimit(name, amount, limits, `${path}.requests`),
    ]),
    ...hugePagesNeedMore(limits, requests, path),
    ...each(resources.claims, `${path}.claims`, (claim, at) => [
      ...requiredText(`${at}.name`, claim.name),
      ...(claim.name && !claimNames.has(claim.name) ? [field.notFound(`${at}.name`, claim.name)] : []),
    ]),
    ...duplicates(
      resources.claims,
      (claim) => claim.name,
      (index) => `${path}.claims[${index}]`,
    ),
  ];
}

const validateEntry = (name: string, amount: Amount, path: string): FieldError[] => [
  ...validateContainerResourceName(name, path),
  ...validateAmount(name, amount, path),
];

function validateContainerResourceName(name: string, path: string): FieldError[] {
  const wrongForm = invalidFor(path, name, qualifiedNameErrors(name));
  if (wrongForm.length > 0) return wrongForm;
  if (name.includes('/') || CONTAINER_RESOURCES.has(name) || isHugePages(name)) return [];
  const notForContainers = field.invalid(path, name, 'must be a standard resource for containers');
  return POD_RESOURCES.has(name)
    ? [notForContainers]
    : [field.invalid(path, name, 'must be a standard resource type or fully qualified'), notForContainers];
}

function requestWithinLimit(name: string, request: Amount, limits: Amounts, path: string): FieldError[] {
  const limit = limits[name];
  const mayOvercommit = !isExtendedResource(name) && !isHugePages(name);
  if (limit === undefined) {
    return mayOvercommit
      ? []
      : [
          field.required(
            `${path.replace(/requests$/, 'limits')}`,
            'Limit must be set for non overcommitable resources',
          ),
        ];
  }
  if (!isQuantity(request) || !isQuantity(limit)) return [];
  const order = compareQuantities(request, limit);
  if (!mayOvercommit && order !== 0) {
    return [field.invalid(path, String(request), `must be equal to ${name} limit of ${limit}`)];
  }
  return order > 0
    ? [field.invalid(path, String(request), `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}

function hugePagesNeedMore(limits: Amounts, requests: Amounts, path: string): FieldError[] {
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  return names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')
    ? [field.forbidden(path, 'HugePages require cpu or memory')]
    : [];
}
