import type { UnknownObject } from '@vireo/api';
import { selectorFromObject } from '@vireo/api/labelSelector.ts';
import type { Lookup } from '../../strategies/strategy.ts';
import type { AdmissionRequest } from '../admission.ts';
import type { Rule, Webhook } from './types.ts';

/** What the rules of webhooks look at: the same for every write of one sort. */
export type Sort = Pick<AdmissionRequest, 'operation' | 'kind' | 'subresource'>;

/**
 * The version in which a webhook wants to hear of such writes by its rules; undefined: not at all. Unless they are to be
 * taken exactly, one that names another of the `versions` of the same resource is meant as well.
 */
export function wantedVersion(webhook: Webhook, sort: Sort, versions: readonly string[]): string | undefined {
  const { version } = sort.kind;
  const candidates = webhook.matchPolicy === 'Exact' ? [version] : [version, ...versions];
  return candidates.find((candidate) => (webhook.rules ?? []).some((rule) => ruleMatches(rule, sort, candidate)));
}

type Selectors = Pick<Webhook, 'namespaceSelector' | 'objectSelector'>;

/** Whether the selectors of a webhook or policy mean this very write. */
export const isSelected = (selectors: Selectors, request: AdmissionRequest, lookup: Lookup): boolean =>
  namespaceMatches(selectors, request, lookup) && objectMatches(selectors, request);

const covers = (list: readonly string[] | undefined, value: string): boolean =>
  list?.includes('*') === true || list?.includes(value) === true;

/** Whether a rule is about such writes, as writes of that version. */
export function ruleMatches(rule: Rule, { operation, kind, subresource = '' }: Sort, version: string): boolean {
  const scope = rule.scope ?? '*';
  if (scope !== '*' && (scope === 'Namespaced') !== kind.namespaced) return false;
  return (
    covers(rule.operations, operation) &&
    covers(rule.apiGroups, kind.group) &&
    covers(rule.apiVersions, version) &&
    (rule.resources ?? []).some((pattern) => resourceMatches(pattern, kind.plural, subresource))
  );
}

/** `pods`, `pods/status`, `pods/*`, `*`, and the same with any resource; without a slash, subresources are not meant. */
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const [resource, sub = ''] = pattern.split('/', 2);
  return (resource === '*' || resource === plural) && (sub === subresource || (sub === '*' && pattern.includes('/')));
}

function namespaceMatches({ namespaceSelector }: Selectors, request: AdmissionRequest, lookup: Lookup): boolean {
  if (!namespaceSelector || isEmpty(namespaceSelector)) return true;
  const name = request.kind.plural === 'namespaces' ? request.name : request.namespace;
  if (!name) return true;
  const own = request.kind.plural === 'namespaces' ? (request.object ?? request.oldObject) : undefined;
  const namespace = own ?? lookup.get('', 'namespaces', undefined, name);
  return selectorFromObject(namespaceSelector).matches(namespace?.metadata.labels ?? {});
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
