import { type Kind, notFound, type UnknownObject } from '@vireo/api';
import { selectorFromObject } from '@vireo/api/labelSelector.ts';
import type { Lookup } from '../../strategies/strategy.ts';
import type { AdmissionRequest } from '../admission.ts';
import { namespaceOf } from '../namespaceOf.ts';
import type { Rule, Webhook } from './types.ts';

/** What the rules of webhooks look at: the same for every write of one sort. */
export type Sort = Pick<AdmissionRequest, 'operation' | 'subresource'> & { readonly kind: RuleKind };

/** What rules look at of a kind. */
export type RuleKind = Pick<Kind, 'group' | 'version' | 'plural' | 'namespaced'>;

/**
 * The kind in which a webhook wants to hear of such writes by its rules; undefined: not at all. Unless they are to be
 * taken exactly, a rule that names one of the `equivalents`, which are the same objects under other names, is meant too.
 */
export function wantedKind<K extends RuleKind>(
  { rules = [], matchPolicy }: Pick<Webhook, 'rules' | 'matchPolicy'>,
  sort: Sort & { readonly kind: K },
  equivalents: readonly K[],
): K | undefined {
  if (rules.some((rule) => ruleMatches(rule, sort, sort.kind))) return sort.kind;
  if (matchPolicy === 'Exact') return undefined;
  for (const rule of rules) {
    const found = equivalents.find((other) => other !== sort.kind && ruleMatches(rule, sort, other));
    if (found) return found;
  }
  return undefined;
}

type Selectors = Pick<Webhook, 'namespaceSelector' | 'objectSelector'>;

/** Whether the selectors of a webhook or policy mean this very write. Throws 404 if its namespace is not there. */
export const isSelected = (selectors: Selectors, request: AdmissionRequest, lookup: Lookup): boolean =>
  namespaceMatches(selectors, request, lookup) && objectMatches(selectors, request);

const covers = (list: readonly string[] | undefined, value: string): boolean =>
  list?.includes('*') === true || list?.includes(value) === true;

/** Whether a rule is about such writes, as writes of that kind. */
export function ruleMatches(
  rule: Rule,
  { operation, subresource = '' }: Pick<AdmissionRequest, 'operation' | 'subresource'>,
  { group, version, plural, namespaced }: RuleKind,
): boolean {
  const scope = rule.scope ?? '*';
  if (scope !== '*' && (scope === 'Namespaced') !== namespaced) return false;
  return (
    covers(rule.operations, operation) &&
    covers(rule.apiGroups, group) &&
    covers(rule.apiVersions, version) &&
    (rule.resources ?? []).some((pattern) => resourceMatches(pattern, plural, subresource))
  );
}

/** `pods`, `pods/status`, `pods/*`, `*`, and the same with any resource; without a slash, subresources are not meant. */
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const [resource, sub = ''] = pattern.split('/', 2);
  return (resource === '*' || resource === plural) && (sub === subresource || (sub === '*' && pattern.includes('/')));
}

function namespaceMatches({ namespaceSelector }: Selectors, request: AdmissionRequest, lookup: Lookup): boolean {
  if (!namespaceSelector || isEmpty(namespaceSelector)) return true;
  const name = namespaceOf(request);
  if (!name) return true;
  const namespace = ownNamespace(request) ?? lookup.get('', 'namespaces', undefined, name);
  if (!namespace) throw notFound({ group: '', resource: 'namespaces' }, name);
  return selectorFromObject(namespaceSelector).matches(namespace.metadata.labels ?? {});
}

/** A namespace that is written counts as what it becomes. */
function ownNamespace({ kind, operation, subresource, object }: AdmissionRequest): UnknownObject | undefined {
  const isOwn = kind.group === '' && kind.plural === 'namespaces' && !subresource;
  return isOwn && operation !== 'DELETE' ? object : undefined;
}

/** An object that matches before or after the change counts. */
function objectMatches({ objectSelector }: Selectors, { object, oldObject }: AdmissionRequest): boolean {
  if (!objectSelector || isEmpty(objectSelector)) return true;
  const matches = (candidate: UnknownObject | undefined): boolean =>
    candidate !== undefined && selectorFromObject(objectSelector).matches(candidate.metadata.labels ?? {});
  return matches(object) || matches(oldObject);
}

const isEmpty = (selector: { matchLabels?: object; matchExpressions?: readonly unknown[] }): boolean =>
  Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
