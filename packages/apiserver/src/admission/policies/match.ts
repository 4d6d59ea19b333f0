import type { MatchResources, NamedRuleWithOperations } from '@vireo/api';
import type { Lookup } from '../../strategies/strategy.ts';
import type { AdmissionRequest } from '../admission.ts';
import { isSelected, ruleMatches, type Sort, wantedKind } from '../webhooks/match.ts';
import type { LabelSelectorObject, Rule } from '../webhooks/types.ts';

/** Whether a policy can be about such writes: it is not looked at for others. Names and selectors are left out. */
export const mayMatch = (
  { resourceRules = [], matchPolicy }: MatchResources,
  sort: Sort,
  versions: readonly string[],
) =>
  resourceRules.some((rule) =>
    [sort.kind.version, ...(matchPolicy === 'Exact' ? [] : versions)].some((version) =>
      ruleMatches(rule as Rule, sort, { ...sort.kind, version }),
    ),
  );

/** The version in which a policy or a binding is about this write; undefined: it is not. */
export function matchedVersion(
  match: MatchResources,
  request: AdmissionRequest,
  versions: readonly string[],
  lookup: Lookup,
): string | undefined {
  const { namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [], matchPolicy } = match;
  const selectors = { namespaceSelector, objectSelector } as {
    namespaceSelector?: LabelSelectorObject;
    objectSelector?: LabelSelectorObject;
  };
  if (!isSelected(selectors, request, lookup)) return undefined;
  const others = matchPolicy === 'Exact' ? [] : versions;
  if (versionByRules(excludeResourceRules, request, others) !== undefined) return undefined;
  return resourceRules.length === 0 ? request.kind.version : versionByRules(resourceRules, request, others);
}

/** The version of the request if a rule names it, else the first of the others that one names. */
function versionByRules(
  rules: readonly NamedRuleWithOperations[],
  request: AdmissionRequest,
  others: readonly string[],
): string | undefined {
  const named = rules.filter(({ resourceNames = [] }) => !resourceNames.length || resourceNames.includes(request.name));
  const equivalents = others.map((version) => ({ ...request.kind, version }));
  return wantedKind({ rules: named as Rule[] }, request, equivalents)?.version;
}
