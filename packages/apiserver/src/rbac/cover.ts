import { pathMatches } from './match.ts';
import type { PolicyRule } from './types.ts';

/**
 * What `wanted` allows and `held` does not, in atoms of one verb on one thing. Empty: `held` covers it all.
 * Each atom must be covered by one held rule; several together do not add up to a wildcard.
 */
export const missingRules = (held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] =>
  wanted.flatMap(atomsOf).filter((atom) => !held.some((rule) => ruleCovers(rule, atom)));

export const covers = (held: readonly PolicyRule[], wanted: readonly PolicyRule[]): boolean =>
  missingRules(held, wanted).length === 0;

/** One verb, one group, one resource, at most one name; or one verb on one path. */
function atomsOf(rule: PolicyRule): PolicyRule[] {
  const names = rule.resourceNames?.length ? rule.resourceNames.map((name) => [name]) : [undefined];
  const onResources = (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((name) => ({
          apiGroups: [group],
          resources: [resource],
          ...(name && { resourceNames: name }),
          verbs: [verb],
        })),
      ),
    ),
  );
  const onPaths = (rule.nonResourceURLs ?? []).flatMap((path) =>
    rule.verbs.map((verb) => ({ nonResourceURLs: [path], verbs: [verb] })),
  );
  return [...onResources, ...onPaths];
}

/** Whether a rule allows all that an atom allows. */
function ruleCovers(rule: PolicyRule, atom: PolicyRule): boolean {
  if (!includesAll(rule.verbs, atom.verbs)) return false;
  if (atom.nonResourceURLs)
    return atom.nonResourceURLs.every((path) => (rule.nonResourceURLs ?? []).some((held) => pathMatches(held, path)));
  return (
    includesAll(rule.apiGroups, atom.apiGroups) &&
    (atom.resources ?? []).every((resource) => (rule.resources ?? []).some((held) => resourceCovers(held, resource))) &&
    namesCover(rule.resourceNames, atom.resourceNames)
  );
}

/** A rule without names is for all of them, so a rule with names cannot cover it. */
const namesCover = (held: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  held.length === 0 || (wanted.length > 0 && wanted.every((name) => held.includes(name)));

const includesAll = (held: readonly string[] = [], wanted: readonly string[] = []): boolean =>
  held.includes('*') || wanted.every((value) => held.includes(value));

/** A pattern covers itself; everything is covered by a star, and a subresource by the star that stands before it. */
function resourceCovers(held: string, wanted: string): boolean {
  if (held === '*' || held === wanted) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && held === `*${wanted.slice(slash)}`;
}

/** Rules as messages list them: verbs on the same thing together, sorted, each in Kubernetes' compact form. */
export function describeRules(atoms: readonly PolicyRule[]): string[] {
  const merged = new Map<string, PolicyRule>();
  for (const atom of atoms) {
    const key = JSON.stringify([atom.apiGroups, atom.resources, atom.resourceNames, atom.nonResourceURLs]);
    const known = merged.get(key);
    const verbs = [...new Set([...(known?.verbs ?? []), ...atom.verbs])];
    merged.set(key, { ...atom, verbs });
  }
  return [...merged.values()].map(describeRule).sort();
}

function describeRule(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  return `{${parts.flatMap(([label, values]) => (values?.length ? [`${label}:${goList(values)}`] : [])).join(', ')}}`;
}

/** `["a" "b"]`, as Go prints a list of quoted strings; clients and people know the message in this form. */
export const goList = (values: readonly string[]): string =>
  `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
