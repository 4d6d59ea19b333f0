import type { UnknownObject } from '@vireo/api';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { type Quantities, resourcesOf } from '@vireo/api/kinds/core/podResources.ts';
import type { ResourceQuota } from '@vireo/api/kinds/core/resourceQuota.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  subtractQuantities,
} from '@vireo/api/quantity.ts';
import type { Lookup } from '../strategies/strategy.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { isResize, refuse } from './refuse.ts';
import { quotaCovers } from './resourceQuotaScopes.ts';
import { quotaUsage } from './resourceQuotaStatus.ts';
import { type Counted, computeNames, countedBy, objectUsage } from './resourceQuotaUsage.ts';

/** A write that was let through and is not yet to be seen in the store. */
interface Reservation {
  readonly counted: Counted;
  readonly object: UnknownObject;
  readonly oldObject?: UnknownObject;
}

/**
 * Keeps every namespace within its quotas, exactly: what is used is what the store holds plus what was let through and
 * is still on its way. Between the check and the reservation nothing else runs, so no two writes share the last place.
 */
export function resourceQuota(lookup: Lookup): AdmissionPlugin {
  const underway = new Map<string, Set<Reservation>>();

  const reserve = (namespace: string, reservation: Reservation, request: AdmissionRequest): void => {
    const reservations = underway.get(namespace) ?? new Set();
    underway.set(namespace, reservations.add(reservation));
    request.onSettled(() => {
      reservations.delete(reservation);
      if (reservations.size === 0) underway.delete(namespace);
    });
  };

  return {
    name: 'ResourceQuota',
    validate(request) {
      const { operation, kind, subresource, namespace, object, oldObject } = request;
      const isCounted = !subresource || isResize(request);
      if (!namespace || !object || !isCounted || kind.virtual || operation === 'DELETE' || operation === 'CONNECT')
        return;
      const quotas = lookup.list('', 'resourcequotas', namespace) as unknown as ResourceQuota[];
      if (quotas.length === 0) return;
      const wanted: Reservation = { counted: { group: kind.group, plural: kind.plural }, object, oldObject };
      const others = [...(underway.get(namespace) ?? [])].filter((each) => !hasLanded(each, lookup));
      for (const quota of quotas) checkQuota(request, quota, wanted, others, lookup);
      if (!request.dryRun) reserve(namespace, wanted, request);
    },
  };
}

/** A reservation ends with the request; a moment before, the object may already be counted where it is stored. */
function hasLanded({ counted, object, oldObject }: Reservation, lookup: Lookup): boolean {
  const { namespace, name = '', uid } = object.metadata;
  const current = lookup.get(counted.group, counted.plural, namespace, name);
  if (oldObject) return current?.metadata.resourceVersion !== oldObject.metadata.resourceVersion;
  return current !== undefined && current.metadata.uid === uid;
}

function checkQuota(
  request: AdmissionRequest,
  quota: ResourceQuota,
  wanted: Reservation,
  others: readonly Reservation[],
  lookup: Lookup,
): void {
  const hard = quota.spec?.hard ?? {};
  const requested = increase(quota, wanted);
  if (request.operation === 'CREATE' && quotaCovers(quota, wanted.counted, wanted.object)) {
    const missing = findUnspecified(hard, wanted);
    if (missing) throw refuse(request, `failed quota: ${quota.metadata.name}: must specify ${missing}`);
  }
  if (Object.keys(requested).length === 0) return;
  const used: Record<string, Quantity> = {
    ...quotaUsage(quota, ({ group, plural }) => lookup.list(group, plural, request.namespace)),
  };
  for (const other of others)
    for (const [name, amount] of Object.entries(increase(quota, other)))
      used[name] = addQuantities(used[name] ?? 0, amount);
  const exceeded = Object.keys(requested)
    .filter((name) => compareQuantities(addQuantities(used[name] ?? 0, requested[name] ?? 0), hard[name] ?? 0) > 0)
    .sort();
  if (exceeded.length === 0) return;
  const print = (amounts: Readonly<Record<string, string | number | Quantity>>) =>
    exceeded.map((name) => `${name}=${text(amounts[name] ?? 0)}`).join(',');
  throw refuse(
    request,
    `exceeded quota: ${quota.metadata.name}, requested: ${print(requested)}, used: ${print(used)}, limited: ${print(hard)}`,
  );
}

const text = (quantity: string | number | Quantity): string =>
  formatQuantity(typeof quantity === 'object' ? quantity : parseQuantity(quantity));

/** By how much a write raises what the quota limits. What falls is given back only when it is seen in the store. */
function increase(quota: ResourceQuota, { counted, object, oldObject }: Reservation): Quantities {
  const before = oldObject && quotaCovers(quota, counted, oldObject) ? objectUsage(counted, oldObject) : {};
  const after = quotaCovers(quota, counted, object) ? objectUsage(counted, object) : {};
  const raised: Record<string, Quantity> = {};
  for (const name of Object.keys(quota.spec?.hard ?? {})) {
    const difference = subtractQuantities(after[name] ?? 0, before[name] ?? 0);
    if (difference.nano > 0n) raised[name] = difference;
  }
  return raised;
}

const MUST_BE_SPECIFIED = /^(?:(?:requests|limits)\.)?(?:cpu|memory)$/;

/** Limited compute resources that a container leaves open, as `requests.cpu for: a,b; limits.memory for: a`. */
function findUnspecified(hard: object, { counted, object }: Reservation): string {
  if (counted.plural !== 'pods' || counted.group !== '') return '';
  const { containers = [], initContainers = [] } = (object as unknown as Pod).spec ?? {};
  const specified = [...containers, ...initContainers].map((container) => ({
    container: container.name,
    names: computeNames(resourcesOf(container, 'requests'), resourcesOf(container, 'limits')),
  }));
  return Object.keys(hard)
    .filter((name) => MUST_BE_SPECIFIED.test(name) && countedBy(name)?.plural === 'pods')
    .sort()
    .flatMap((name) => {
      const lacking = specified.filter(({ names }) => !(name in names)).map(({ container }) => container);
      return lacking.length > 0 ? [`${name} for: ${lacking.sort().join(',')}`] : [];
    })
    .join('; ');
}
