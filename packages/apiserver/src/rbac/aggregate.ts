import type { Persisted } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { matchesLabelSelector } from '../labelSelector.ts';
import type { ClusterRole, PolicyRule } from './types.ts';

/**
 * The rules of an aggregated ClusterRole: those of every other role that its selectors match, each once, in the order of
 * the selectors and then of the names. Undefined for a role that aggregates nothing.
 */
export function aggregatedRules(role: ClusterRole, all: readonly Persisted<ClusterRole>[]): PolicyRule[] | undefined {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  if (!selectors) return undefined;
  const byName = [...all].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of selectors)
    for (const other of byName) {
      if (other.metadata.name === role.metadata.name || !matchesLabelSelector(selector, other.metadata.labels))
        continue;
      for (const rule of other.rules ?? []) if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
    }
  return rules;
}

/** The rules to write where they differ from what is there; undefined when nothing is to be done. */
export function aggregationUpdate(role: ClusterRole, all: readonly Persisted<ClusterRole>[]): PolicyRule[] | undefined {
  const rules = aggregatedRules(role, all);
  return rules && !deepEqual(rules, role.rules ?? []) ? rules : undefined;
}
