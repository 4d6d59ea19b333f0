import type { UserInfo } from '@vireo/kube';
import type { PolicyRule } from './types.ts';

/** What somebody wants to do. With `path`, the request is for no resource at all. */
export interface Attributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  /** Empty for list, watch, create and deletecollection; set where a field selector names one object. */
  readonly name?: string;
  /** Empty at the cluster scope and across all namespaces. */
  readonly namespace?: string;
  readonly path?: string;
  /** As sent with list, watch and deletecollection. RBAC does not look at it; what nodes may list depends on it. */
  readonly fieldSelector?: string;
}

/** Whether one rule allows a request. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  const { verb, group = '', resource = '', subresource = '', name = '', path } = attributes;
  if (!includesOrStar(rule.verbs, verb)) return false;
  if (path !== undefined) return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, path));
  return (
    includesOrStar(rule.apiGroups, group) &&
    (rule.resources ?? []).some((pattern) => resourceMatches(pattern, resource, subresource)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name))
  );
}

const includesOrStar = (values: readonly string[] | undefined, wanted: string): boolean =>
  values !== undefined && (values.includes('*') || values.includes(wanted));

// `pods`, `pods/log`, `*/scale` (that subresource of everything) or `*` (everything, subresources included).
export function resourceMatches(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*') return true;
  if (subresource === '') return pattern === resource;
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`;
}

/** `/healthz` is that path alone, `/healthz/*` whatever starts with `/healthz/`. */
export function pathMatches(pattern: string, path: string): boolean {
  if (pattern === '*' || pattern === path) return true;
  return pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, ''));
}
