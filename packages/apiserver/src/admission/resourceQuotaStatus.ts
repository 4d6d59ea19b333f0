import type { UnknownObject } from '@vireo/api';
import type { Quantities } from '@vireo/api/kinds/core/podResources.ts';
import type { ResourceQuota } from '@vireo/api/kinds/core/resourceQuota.ts';
import { addQuantities, formatQuantity, parseQuantity, type Quantity } from '@vireo/api/quantity.ts';
import { quotaCovers } from './resourceQuotaScopes.ts';
import { type Counted, countedBy, storedUsage } from './resourceQuotaUsage.ts';

/** The objects of a resource in the quota's namespace. */
export type ListObjects = (counted: Counted) => Iterable<UnknownObject>;

/** What is used now of everything that the quota limits. */
export function quotaUsage(quota: ResourceQuota, list: ListObjects): Quantities {
  const used: Record<string, Quantity> = {};
  for (const name of Object.keys(quota.spec?.hard ?? {})) used[name] = parseQuantity(0);
  for (const [counted, names] of namesByResource(quota))
    for (const object of list(counted)) {
      if (!quotaCovers(quota, counted, object)) continue;
      const usage = storedUsage(counted, object);
      for (const name of names) {
        const amount = usage[name];
        if (amount) used[name] = addQuantities(used[name] ?? 0, amount);
      }
    }
  return used;
}

/** The resources that a quota is about, each with the names under `hard` that count it. */
export function namesByResource({ spec }: ResourceQuota): Map<Counted, string[]> {
  const byKey = new Map<string, { counted: Counted; names: string[] }>();
  for (const name of Object.keys(spec?.hard ?? {})) {
    const counted = countedBy(name);
    if (!counted) continue;
    const key = `${counted.group}/${counted.plural}`;
    const entry = byKey.get(key);
    if (entry) entry.names.push(name);
    else byKey.set(key, { counted, names: [name] });
  }
  return new Map([...byKey.values()].map(({ counted, names }) => [counted, names]));
}

/** The status that the quota should show. */
export function quotaStatus(quota: ResourceQuota, list: ListObjects): NonNullable<ResourceQuota['status']> {
  const used = quotaUsage(quota, list);
  return {
    hard: { ...quota.spec?.hard },
    used: Object.fromEntries(Object.entries(used).map(([name, quantity]) => [name, formatQuantity(quantity)])),
  };
}
