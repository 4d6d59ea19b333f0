import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import type { PriorityClass } from '@vireo/api/kinds/scheduling/priorityClass.ts';
import type { Lookup } from '../strategies/strategy.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { isAbout, isNewPod, refuse } from './refuse.ts';

/** Turns a pod's priorityClassName into its priority, and sees that there is one default class at most. */
export const priority = (lookup: Lookup): AdmissionPlugin => ({
  name: 'Priority',
  mutate(request) {
    if (isNewPod(request)) setPriority(request, lookup);
    else if (request.operation === 'UPDATE' && isAbout(request, '', 'pods')) keepPriority(request);
  },
  validate(request) {
    if (request.operation === 'DELETE' || !isAbout(request, 'scheduling.k8s.io', 'priorityclasses')) return;
    const wanted = request.object as unknown as PriorityClass;
    if (!wanted.globalDefault) return;
    const other = classes(lookup).find(
      ({ globalDefault, metadata }) => globalDefault && metadata.name !== request.name,
    );
    if (other)
      throw refuse(
        request,
        `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
      );
  },
});

function setPriority(request: AdmissionRequest, lookup: Lookup): void {
  const { spec } = request.object as unknown as Pod;
  if (!spec) return;
  const chosen = spec.priorityClassName ? namedClass(request, spec.priorityClassName, lookup) : defaultClass(lookup);
  const value = chosen?.value ?? 0;
  const policy = chosen?.preemptionPolicy ?? 'PreemptLowerPriority';
  if (spec.priority !== undefined && spec.priority !== value)
    throw refuse(
      request,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; ` +
        `priority admission controller computed ${value} from the given PriorityClass name`,
    );
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy)
    throw refuse(
      request,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; ` +
        `priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  if (chosen) spec.priorityClassName = chosen.metadata.name;
  spec.priority = value;
  spec.preemptionPolicy = policy;
}

/** Clients that do not know the fields leave them out of an update; that must not read as a change. */
function keepPriority({ object, oldObject }: AdmissionRequest): void {
  const { spec } = object as unknown as Pod;
  const old = (oldObject as unknown as Pod).spec;
  if (!spec || !old) return;
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined)
    spec.preemptionPolicy = old.preemptionPolicy;
}

function namedClass(request: AdmissionRequest, name: string, lookup: Lookup): PriorityClass {
  const found = lookup.get('scheduling.k8s.io', 'priorityclasses', undefined, name);
  if (!found) throw refuse(request, `no PriorityClass with name ${name} was found`);
  return found as unknown as PriorityClass;
}

/** Should there be several defaults, the lowest counts: nobody gains by the confusion. */
const defaultClass = (lookup: Lookup): PriorityClass | undefined =>
  classes(lookup)
    .filter(({ globalDefault }) => globalDefault)
    .sort((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];

const classes = (lookup: Lookup): PriorityClass[] =>
  lookup.list('scheduling.k8s.io', 'priorityclasses') as unknown as PriorityClass[];
