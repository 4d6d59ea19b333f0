import type { Persisted, Pod, Service } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { type Informer, type Key, keyOf, type WatchHandlers } from '@vireo/kube';
import { addressesOf, isReady, isTerminal } from './pods.ts';

/** Pods often change together: what comes within this time makes one write. */
const BATCH_MS = 100;

type WithNamespace = { readonly metadata: { readonly namespace?: string } };

/** An index of pods by their namespace. */
export const BY_NAMESPACE = { namespace: ({ metadata }: WithNamespace) => [metadata.namespace ?? ''] };

/** An index of Services by one pair of their selector, which every pod that they select has as a label. */
export const BY_SELECTOR = {
  selector: ({ metadata, spec }: Service): string[] =>
    Object.entries(spec?.selector ?? {})
      .slice(0, 1)
      .map((pair) => pairKey(metadata.namespace, pair)),
};

const pairKey = (namespace = '', [key, value]: readonly [string, string]): string => `${namespace}/${key}=${value}`;

/** Whether the endpoints of a Service are its pods, rather than what users write. */
export const selectsPods = ({ spec }: Service): boolean =>
  spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;

const selects = ({ spec }: Service, { metadata }: Pod): boolean =>
  Object.entries(spec?.selector ?? {}).every(([key, value]) => metadata.labels?.[key] === value);

/** The pods that a Service selects. */
export const podsOf = (service: Service, pods: Informer<Pod>): Persisted<Pod>[] =>
  pods.byIndex('namespace', service.metadata.namespace ?? '').filter((pod) => selects(service, pod));

/** The Services whose endpoints a change of a pod concerns. */
export function affectedServices(services: Pick<Informer<Service>, 'byIndex'>): WatchHandlers<Pod> {
  const keysOf = (...pods: Pod[]): Key[] => {
    const keys = pods.flatMap((pod) =>
      Object.entries(pod.metadata.labels ?? {}).flatMap((pair) =>
        services
          .byIndex('selector', pairKey(pod.metadata.namespace, pair))
          .filter((service) => selects(service, pod))
          .map(keyOf),
      ),
    );
    return [...new Set(keys)].map((key) => ({ key, afterMs: BATCH_MS }));
  };
  return {
    added: keysOf,
    updated: (old, pod) => (isSameMember(old, pod) ? [] : keysOf(old, pod)),
    deleted: keysOf,
  };
}

/** Whether two versions of a pod are the same to all Services. */
const isSameMember = (old: Pod, pod: Pod): boolean =>
  deepEqual(old.metadata.labels, pod.metadata.labels) && deepEqual(memberState(old), memberState(pod));

const memberState = (pod: Pod): unknown[] => [
  isTerminal(pod),
  isReady(pod),
  pod.metadata.deletionTimestamp !== undefined,
  addressesOf(pod),
  pod.spec?.nodeName,
];
