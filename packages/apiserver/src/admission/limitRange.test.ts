import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { describe, expect, it } from 'vitest';
import { create, kindOf, Objects, object, outcome, podKind } from '../testing/admission.ts';
import { limitRange } from './limitRange.ts';

const rangeKind = kindOf('LimitRange', 'limitranges');
const claimKind = kindOf('PersistentVolumeClaim', 'persistentvolumeclaims');
const plugin = (...limits: object[]) =>
  limitRange(new Objects().put(rangeKind, object(rangeKind, 'range', { spec: { limits } })));
const podWith = (...resources: object[]) =>
  object(podKind, 'p', {
    spec: { containers: resources.map((each, index) => ({ name: `c${index}`, resources: each })) },
  });

describe('LimitRanger defaults', () => {
  const resourcesOf = (pod: unknown) => (pod as Pod).spec?.containers[0]?.resources;
  it.each<[string, object, object, object]>([
    [
      'both',
      { default: { cpu: '1' }, defaultRequest: { cpu: '500m' } },
      {},
      { requests: { cpu: '500m' }, limits: { cpu: '1' } },
    ],
    [
      'a request follows from the limit',
      { default: { memory: '1Gi' } },
      {},
      { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } },
    ],
    ['a limit follows from max', { max: { cpu: '2' } }, {}, { requests: { cpu: '2' }, limits: { cpu: '2' } }],
    ['a request follows from min', { min: { cpu: '100m' } }, {}, { requests: { cpu: '100m' } }],
    [
      'what the container says stays',
      { default: { cpu: '1', memory: '1Gi' } },
      { requests: { cpu: '200m' }, limits: { cpu: '300m' } },
      { requests: { cpu: '200m', memory: '1Gi' }, limits: { cpu: '300m', memory: '1Gi' } },
    ],
  ])('%s', async (_, item, given, expected) => {
    const pod = podWith(given);
    await outcome(plugin({ type: 'Container', ...item }), create(podKind, pod));
    expect(resourcesOf(pod)).toEqual(expected);
  });

  it('notes on the pod what it set', async () => {
    const pod = podWith({});
    await outcome(plugin({ type: 'Container', default: { memory: '1Gi', cpu: '1' } }), create(podKind, pod));
    expect(pod.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu, memory request for container c0; cpu, memory limit for container c0',
    });
  });
});

describe('LimitRanger bounds', () => {
  const refused = (why: string) => `403 pods "p" is forbidden: ${why}`;
  it.each<[string, object, object[], string]>([
    [
      'within',
      { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1' } },
      [{ requests: { cpu: '100m' }, limits: { cpu: '1' } }],
      'admitted',
    ],
    [
      'below the minimum',
      { type: 'Container', min: { cpu: '100m' } },
      [{ requests: { cpu: '50m' } }],
      refused('minimum cpu usage per Container is 100m, but request is 50m'),
    ],
    [
      'limit above the maximum',
      { type: 'Container', max: { memory: '1Gi' } },
      [{ limits: { memory: '2Gi' }, requests: { memory: '1Gi' } }],
      refused('maximum memory usage per Container is 1Gi, but limit is 2Gi'),
    ],
    [
      'ratio',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      [{ requests: { cpu: '1' }, limits: { cpu: '3' } }],
      refused('cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000'),
    ],
    [
      'ratio just met',
      { type: 'Container', maxLimitRequestRatio: { cpu: '1500m' } },
      [{ requests: { cpu: '2' }, limits: { cpu: '3' } }],
      'admitted',
    ],
    [
      'ratio without limit',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      [{ requests: { cpu: '1' } }],
      refused('cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0'),
    ],
    [
      'the sum of a pod',
      { type: 'Pod', max: { cpu: '1' } },
      [{ limits: { cpu: '600m' } }, { limits: { cpu: '600m' } }],
      refused('maximum cpu usage per Pod is 1, but limit is 1200m'),
    ],
    [
      'a pod without limit',
      { type: 'Pod', max: { cpu: '1' } },
      [{}],
      refused('maximum cpu usage per Pod is 1.  No limit is specified'),
    ],
    [
      'several errors',
      { type: 'Pod', min: { cpu: '1', memory: '1Gi' } },
      [{ requests: { cpu: '100m' } }],
      refused(
        '[minimum cpu usage per Pod is 1, but request is 100m, minimum memory usage per Pod is 1Gi.  No request is specified]',
      ),
    ],
  ])('%s', async (_, item, resources, expected) => {
    expect(await outcome(plugin(item), create(podKind, podWith(...resources)))).toBe(expected);
  });

  it.each<[string, string, string]>([
    ['within', '5Gi', 'admitted'],
    [
      'too small',
      '500Mi',
      '403 persistentvolumeclaims "c" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi',
    ],
    [
      'too big',
      '20Gi',
      '403 persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 20Gi',
    ],
  ])('claims: %s', async (_, storage, expected) => {
    const claim = object(claimKind, 'c', { spec: { resources: { requests: { storage } } } });
    const range = { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Gi' } };
    expect(await outcome(plugin(range), create(claimKind, claim))).toBe(expected);
  });
});
