import { type FieldError, field, type MatchResources, type NamedRuleWithOperations } from '@vireo/api';
import { pathSegment } from '@vireo/api/names.ts';
import { duplicates, each, invalidFor, oneOf, requiredText } from '../fields.ts';
import { validateLabelSelector } from '../selectors.ts';

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const MUTATING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** The requests that a webhook, a policy or a binding is about. */
export const validateRule = (rule: Omit<NamedRuleWithOperations, 'resourceNames'>, path: string): FieldError[] => [
  ...requiredList(rule.operations, `${path}.operations`),
  ...wildcardErrors(rule.operations, `${path}.operations`, "if '*' is present, must not specify other operations"),
  ...each(rule.operations, `${path}.operations`, (operation, at) =>
    OPERATIONS.includes(operation) ? [] : [field.notSupported(at, operation, OPERATIONS)],
  ),
  ...requiredList(rule.apiGroups, `${path}.apiGroups`),
  ...wildcardErrors(rule.apiGroups, `${path}.apiGroups`, "if '*' is present, must not specify other API groups"),
  ...requiredList(rule.apiVersions, `${path}.apiVersions`),
  ...wildcardErrors(rule.apiVersions, `${path}.apiVersions`, "if '*' is present, must not specify other API versions"),
  ...each(rule.apiVersions, `${path}.apiVersions`, (version, at) => requiredText(at, version)),
  ...requiredList(rule.resources, `${path}.resources`),
  ...resourceErrors(rule.resources ?? [], `${path}.resources`),
  ...oneOf(`${path}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']),
];

const requiredList = (values: readonly string[] | undefined, path: string): FieldError[] =>
  (values ?? []).length === 0 ? [field.required(path)] : [];

const wildcardErrors = (values: readonly string[] | undefined, path: string, message: string): FieldError[] =>
  values && values.length > 1 && values.includes('*') ? [field.invalid(path, values, message)] : [];

/** A wildcard must not stand beside what it covers. */
function resourceErrors(resources: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const [covered, coveredSubresources] = [new Set<string>(), new Set<string>()];
  let hasPlainResource = false;
  resources.forEach((pattern, index) => {
    const at = `${path}[${index}]`;
    if (pattern === '') errors.push(field.required(at));
    const slash = pattern.indexOf('/');
    // Kubernetes remembers the last one without a slash only.
    if (slash < 0 && pattern !== '') hasPlainResource = pattern !== '*';
    if (slash < 0) return;
    const [resource, subresource] = [pattern.slice(0, slash), pattern.slice(slash + 1)];
    if (covered.has(resource))
      errors.push(field.invalid(at, pattern, `if '${resource}/*' is present, must not specify ${pattern}`));
    if (coveredSubresources.has(subresource))
      errors.push(field.invalid(at, pattern, `if '*/${subresource}' is present, must not specify ${pattern}`));
    if (subresource === '*') covered.add(resource);
    if (resource === '*') coveredSubresources.add(subresource);
  });
  if (resources.length > 1 && resources.includes('*/*'))
    errors.push(field.invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && hasPlainResource) {
    const message = "if '*' is present, must not specify other resources without subresources";
    errors.push(field.invalid(path, resources, message));
  }
  return errors;
}

const validateNamedRule = (rule: NamedRuleWithOperations, path: string): FieldError[] => [
  ...each(rule.resourceNames, `${path}.resourceNames`, (name, at) => invalidFor(at, name, pathSegment(name))),
  ...duplicates(
    rule.resourceNames,
    (name) => name,
    (index) => `${path}.resourceNames[${index}]`,
  ),
  ...validateRule(rule, path),
];

/** The requests that a policy or a binding is about; missing ones are no error. */
export function validateMatchResources(match: MatchResources | undefined, path: string): FieldError[] {
  if (!match) return [];
  return [
    ...oneOf(`${path}.matchPolicy`, match.matchPolicy, ['Equivalent', 'Exact'], 'required'),
    ...validateLabelSelector(match.namespaceSelector, `${path}.namespaceSelector`),
    ...validateLabelSelector(match.objectSelector, `${path}.objectSelector`),
    ...each(match.resourceRules, `${path}.resourceRules`, validateNamedRule),
    ...each(match.excludeResourceRules, `${path}.excludeResourceRules`, validateNamedRule),
  ];
}

/** The requests that a policy is about: it says at least which resources. */
export function validateMatchConstraints(match: MatchResources | undefined, path: string): FieldError[] {
  if (!match) return [field.required(path)];
  return [
    ...validateMatchResources(match, path),
    ...((match.resourceRules ?? []).length === 0 ? [field.required(`${path}.resourceRules`)] : []),
  ];
}

/** What is deleted cannot be changed. */
export const validateMutatingOperations = (match: MatchResources | undefined, path: string): FieldError[] =>
  (match?.resourceRules ?? [])
    .flatMap(({ operations = [] }) => operations)
    .filter((operation) => !MUTATING_OPERATIONS.includes(operation))
    .map((operation) => field.notSupported(`${path}.resourceRules.operations`, operation, MUTATING_OPERATIONS));
