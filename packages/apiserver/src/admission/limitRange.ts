import type { Container } from '@vireo/api/kinds/core/container.ts';
import type { LimitRange, LimitRangeItem } from '@vireo/api/kinds/core/limitRange.ts';
import type { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { podResources } from '@vireo/api/kinds/core/podResources.ts';
import type { Lookup } from '../strategies/strategy.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { limitErrors, withDerivedDefaults } from './limitRangeChecks.ts';
import { isAbout, isNewPod, isResize, refuse } from './refuse.ts';

/** Fills in a namespace's default requests and limits and refuses what lies outside its bounds. */
export const limitRange = (lookup: Pick<Lookup, 'list'>): AdmissionPlugin => ({
  name: 'LimitRanger',
  mutate(request) {
    if (!isNewPod(request)) return;
    const pod = request.object as unknown as Pod;
    for (const range of ranges(request, lookup)) setDefaults(pod, range);
  },
  validate(request) {
    const errors = ranges(request, lookup).flatMap((items) => items.flatMap((item) => errorsOf(request, item)));
    if (errors.length > 0)
      throw refuse(request, errors.length === 1 ? `${errors[0]}` : `[${[...new Set(errors)].join(', ')}]`);
  },
});

/** The items of each LimitRange that concerns the request. */
function ranges(request: AdmissionRequest, lookup: Pick<Lookup, 'list'>): LimitRangeItem[][] {
  const isClaim = request.operation !== 'DELETE' && isAbout(request, '', 'persistentvolumeclaims');
  if (!isNewPod(request) && !isResize(request) && !isClaim) return [];
  const found = lookup.list('', 'limitranges', request.namespace) as unknown as LimitRange[];
  return found.map(({ spec }) => (spec?.limits ?? []).map(withDerivedDefaults));
}

function errorsOf({ kind, object }: AdmissionRequest, item: LimitRangeItem): string[] {
  if (kind.kind === 'PersistentVolumeClaim') {
    if (item.type !== 'PersistentVolumeClaim') return [];
    const { spec } = object as unknown as PersistentVolumeClaim;
    return limitErrors(item, { requests: spec?.resources?.requests ?? {}, limits: {} });
  }
  const { spec } = object as unknown as Pod;
  if (item.type === 'Pod')
    return limitErrors(item, { requests: podResources(spec, 'requests'), limits: podResources(spec, 'limits') });
  if (item.type !== 'Container') return [];
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].flatMap(({ resources }) =>
    limitErrors(item, { requests: resources?.requests ?? {}, limits: resources?.limits ?? {} }),
  );
}

const ANNOTATION = 'kubernetes.io/limit-ranger';

function setDefaults(pod: Pod, items: readonly LimitRangeItem[]): void {
  const notes: string[] = [];
  for (const [label, containers] of [
    ['container', pod.spec?.containers ?? []],
    ['init container', pod.spec?.initContainers ?? []],
  ] as const)
    for (const container of containers)
      for (const item of items) if (item.type === 'Container') notes.push(...fill(container, label, item));
  if (notes.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
}

/** Sets what the container leaves open; says what it set. */
function fill(
  container: Container,
  label: string,
  { defaultRequest = {}, default: defaultLimit = {} }: LimitRangeItem,
): string[] {
  const { requests = {}, limits = {}, ...rest } = container.resources ?? {};
  const missing = (defaults: object, present: object) => Object.keys(defaults).filter((name) => !(name in present));
  const newRequests = missing(defaultRequest, requests);
  const newLimits = missing(defaultLimit, limits);
  if (newRequests.length + newLimits.length === 0) return [];
  container.resources = {
    ...rest,
    ...notEmpty('requests', { ...defaultRequest, ...requests }),
    ...notEmpty('limits', { ...defaultLimit, ...limits }),
  };
  const note = (names: string[], what: string) =>
    names.length > 0 ? [`${names.sort().join(', ')} ${what} for ${label} ${container.name}`] : [];
  return [...note(newRequests, 'request'), ...note(newLimits, 'limit')];
}

const notEmpty = <T extends object>(name: string, value: T): Record<string, T> =>
  Object.keys(value).length > 0 ? { [name]: value } : {};
