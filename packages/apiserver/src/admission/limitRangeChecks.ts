import type { LimitRangeItem } from '@vireo/api/kinds/core/limitRange.ts';
import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from '@vireo/api/quantity.ts';

/** Quantities by resource name. */
export type ResourceList = Readonly<Record<string, string | number | Quantity>>;

export interface Usage {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

/** What is wrong with the use of one container, pod or claim, in Kubernetes' words; empty when all is well. */
export function limitErrors(item: LimitRangeItem, usage: Usage): string[] {
  const type = item.type;
  const errors: (string | undefined)[] = [];
  for (const [resource, least] of Object.entries(item.min ?? {})) errors.push(belowMin(type, resource, least, usage));
  for (const [resource, most] of Object.entries(item.max ?? {}))
    errors.push(
      type === 'PersistentVolumeClaim'
        ? requestAboveMax(type, resource, most, usage)
        : aboveMax(type, resource, most, usage),
    );
  for (const [resource, ratio] of Object.entries(item.maxLimitRequestRatio ?? {}))
    errors.push(aboveRatio(type, resource, ratio, usage));
  return errors.filter((error) => error !== undefined);
}

type Check = (type: string, resource: string, bound: string | number, usage: Usage) => string | undefined;

const belowMin: Check = (type, resource, least, { requests, limits }) => {
  const [request, limit] = [requests[resource], limits[resource]];
  const rule = `minimum ${resource} usage per ${type} is ${text(least)}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (compareQuantities(request, least) < 0) return `${rule}, but request is ${text(request)}`;
  if (limit !== undefined && compareQuantities(limit, least) < 0) return `${rule}, but limit is ${text(limit)}`;
  return undefined;
};

const aboveMax: Check = (type, resource, most, { requests, limits }) => {
  const [request, limit] = [requests[resource], limits[resource]];
  const rule = `maximum ${resource} usage per ${type} is ${text(most)}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (compareQuantities(limit, most) > 0) return `${rule}, but limit is ${text(limit)}`;
  if (request !== undefined && compareQuantities(request, most) > 0) return `${rule}, but request is ${text(request)}`;
  return undefined;
};

const requestAboveMax: Check = (type, resource, most, { requests }) => {
  const request = requests[resource];
  const rule = `maximum ${resource} usage per ${type} is ${text(most)}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return compareQuantities(request, most) > 0 ? `${rule}, but request is ${text(request)}` : undefined;
};

const aboveRatio: Check = (type, resource, most, { requests, limits }) => {
  const rule = `${resource} max limit to request ratio per ${type} is ${text(most)}`;
  const request = read(requests[resource] ?? 0);
  const limit = read(limits[resource] ?? 0);
  if (request.nano === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limit.nano === 0n) return `${rule}, but no limit is specified or limit is 0`;
  // limit / request > ratio, without leaving whole numbers.
  if (limit.nano * 1_000_000_000n <= parseQuantity(most).nano * request.nano) return undefined;
  return `${rule}, but provided ratio is ${(Number(limit.nano) / Number(request.nano)).toFixed(6)}`;
};

const read = (quantity: string | number | Quantity): Quantity =>
  typeof quantity === 'object' ? quantity : parseQuantity(quantity);
const text = (quantity: string | number | Quantity): string => formatQuantity(read(quantity));

/** The item with what follows from its own fields: default limits from max, default requests from default, then min. */
export function withDerivedDefaults(item: LimitRangeItem): LimitRangeItem {
  if (item.type !== 'Container') return item;
  const limits = { ...item.max, ...item.default };
  return { ...item, default: limits, defaultRequest: { ...item.min, ...limits, ...item.defaultRequest } };
}
