import { describe, expect, it } from 'vitest';
import { create, kindOf, Objects, object, outcome, podKind, request } from '../testing/admission.ts';
import { priority } from './priority.ts';

const classKind = kindOf('PriorityClass', 'priorityclasses', 'scheduling.k8s.io', false);
const high = object(classKind, 'high', { value: 1000, preemptionPolicy: 'Never' });
const usual = object(classKind, 'usual', { value: 10, globalDefault: true });

describe('Priority', () => {
  it.each<[string, object, object[], object]>([
    ['no class at all', {}, [], { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [
      'the default class',
      {},
      [high, usual],
      { priorityClassName: 'usual', priority: 10, preemptionPolicy: 'PreemptLowerPriority' },
    ],
    [
      'a named class',
      { priorityClassName: 'high' },
      [high, usual],
      { priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' },
    ],
    [
      'the right number given as well',
      { priorityClassName: 'high', priority: 1000 },
      [high],
      { priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' },
    ],
  ])('%s', async (_, spec, classes, expected) => {
    const pod = object(podKind, 'p', { spec: { ...spec } });
    const plugin = priority(new Objects().put(classKind, ...(classes as (typeof high)[])));
    expect(await outcome(plugin, create(podKind, pod))).toBe('admitted');
    expect(pod.spec).toEqual(expected);
  });

  it.each<[string, object, string]>([
    [
      'an unknown class',
      { priorityClassName: 'huge' },
      '403 pods "p" is forbidden: no PriorityClass with name huge was found',
    ],
    [
      'a number of its own',
      { priority: 5 },
      '403 pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      'a policy of its own',
      { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' },
      '403 pods "p" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    ],
  ])('refuses %s', async (_, spec, expected) => {
    const plugin = priority(new Objects().put(classKind, high));
    expect(await outcome(plugin, create(podKind, object(podKind, 'p', { spec })))).toBe(expected);
  });

  it('keeps the priority on updates by clients that leave it out', async () => {
    const pod = object(podKind, 'p', { spec: {} });
    const oldObject = object(podKind, 'p', { spec: { priority: 7, preemptionPolicy: 'Never' } });
    await outcome(priority(new Objects()), request('UPDATE', podKind, { object: pod, oldObject }));
    expect(pod.spec).toEqual({ priority: 7, preemptionPolicy: 'Never' });
  });

  it('allows one default class', async () => {
    const plugin = priority(new Objects().put(classKind, usual));
    const second = object(classKind, 'second', { value: 1, globalDefault: true });
    expect(await outcome(plugin, create(classKind, second))).toBe(
      '403 priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    );
    expect(await outcome(plugin, request('UPDATE', classKind, { object: usual, oldObject: usual }))).toBe('admitted');
  });
});
