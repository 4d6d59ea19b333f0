import type { UnknownObject } from '@vireo/api';
import type { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { podResources, type Quantities } from '@vireo/api/kinds/core/podResources.ts';
import type { Service } from '@vireo/api/kinds/core/service.ts';
import { BETA_STORAGE_CLASS } from '@vireo/api/kinds/core/volumeNames.ts';
import { parseQuantity, type Quantity } from '@vireo/api/quantity.ts';

/** A resource by group and plural. */
export interface Counted {
  readonly group: string;
  readonly plural: string;
}

const CLASS_SUFFIX = '.storageclass.storage.k8s.io/';
const COUNTED_BY_NAME: ReadonlySet<string> = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'pods',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
]);

/** Which objects a name under a quota's `hard` is about; undefined for names that mean nothing. */
export function countedBy(name: string): Counted | undefined {
  if (name.startsWith('count/')) {
    const [plural = '', ...group] = name.slice('count/'.length).split('.');
    return { plural, group: group.join('.') };
  }
  if (COUNTED_BY_NAME.has(name)) return { plural: name, group: '' };
  if (name === 'requests.storage' || name.includes(CLASS_SUFFIX))
    return { plural: 'persistentvolumeclaims', group: '' };
  if (name === 'services.loadbalancers' || name === 'services.nodeports') return { plural: 'services', group: '' };
  return /^(requests\.|limits\.|hugepages-)|^(cpu|memory|ephemeral-storage)$/.test(name)
    ? { plural: 'pods', group: '' }
    : undefined;
}

/** The name under which a quota counts all objects of a resource. */
const countName = ({ group, plural }: Counted): string => `count/${group ? `${plural}.${group}` : plural}`;

const cache = new WeakMap<object, Quantities>();

/** What one stored object uses, under all the names that quotas may limit. Kept with the object, which never changes. */
export function storedUsage(counted: Counted, object: UnknownObject): Quantities {
  const known = cache.get(object);
  if (known) return known;
  const usage = objectUsage(counted, object);
  cache.set(object, usage);
  return usage;
}

export function objectUsage(counted: Counted, object: UnknownObject): Quantities {
  const usage: Record<string, Quantity> = { [countName(counted)]: ONE };
  if (counted.group !== '') return usage;
  if (COUNTED_BY_NAME.has(counted.plural) && counted.plural !== 'pods') usage[counted.plural] = ONE;
  if (counted.plural === 'pods') Object.assign(usage, podUsage(object as unknown as Pod));
  if (counted.plural === 'persistentvolumeclaims')
    Object.assign(usage, claimUsage(object as unknown as PersistentVolumeClaim));
  if (counted.plural === 'services') Object.assign(usage, serviceUsage(object as unknown as Service));
  return usage;
}

const ONE = parseQuantity(1);
const PLAIN: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Pods that have ended use nothing but their place in the store. */
function podUsage({ spec, status }: Pod): Quantities {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return {};
  return { pods: ONE, ...computeNames(podResources(spec, 'requests'), podResources(spec, 'limits')) };
}

/** Requests count as `cpu` and `requests.cpu` alike; extended resources only with the prefix. */
export function computeNames(requests: Quantities, limits: Quantities): Quantities {
  const usage: Record<string, Quantity> = {};
  for (const [name, quantity] of Object.entries(requests)) {
    usage[`requests.${name}`] = quantity;
    if (PLAIN.has(name) || name.startsWith('hugepages-')) usage[name] = quantity;
  }
  for (const [name, quantity] of Object.entries(limits)) if (PLAIN.has(name)) usage[`limits.${name}`] = quantity;
  return usage;
}

function claimUsage({ spec, metadata }: PersistentVolumeClaim): Quantities {
  const storage = parseQuantity(spec?.resources?.requests?.storage ?? 0);
  const className = metadata.annotations?.[BETA_STORAGE_CLASS] ?? spec?.storageClassName;
  return {
    'requests.storage': storage,
    ...(className && {
      [`${className}${CLASS_SUFFIX}requests.storage`]: storage,
      [`${className}${CLASS_SUFFIX}persistentvolumeclaims`]: ONE,
    }),
  };
}

function serviceUsage({ spec }: Service): Quantities {
  const ports = parseQuantity(spec?.ports?.length ?? 0);
  if (spec?.type === 'NodePort') return { 'services.nodeports': ports };
  if (spec?.type !== 'LoadBalancer') return {};
  const withNodePorts = spec.allocateLoadBalancerNodePorts !== false;
  return { 'services.loadbalancers': ONE, ...(withNodePorts && { 'services.nodeports': ports }) };
}
