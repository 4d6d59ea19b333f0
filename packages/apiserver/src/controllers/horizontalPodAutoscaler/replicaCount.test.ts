import type { Pod } from '@vireo/api';
import { describe, expect, it, test } from 'vitest';
import { groupPods, podRequests, readyPodCount } from './pods.ts';
import {
  byAverage,
  byUtilization,
  type PodSample,
  replicasForPods,
  replicasForShare,
  replicasForValue,
} from './replicaCount.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const TOLERANCE = { up: 0.1, down: 0.1 };
const minutesAgo = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();

interface Shape {
  /** Millicores; missing: no sample. */
  uses?: number;
  phase?: string;
  ready?: 'True' | 'False';
  startedMinutesAgo?: number;
  readyMinutesAgo?: number;
  isDeleting?: boolean;
  requests?: string;
}

const pod = (name: string, shape: Shape): Pod =>
  ({
    metadata: { name, ...(shape.isDeleting && { deletionTimestamp: minutesAgo(0) }) },
    spec: { containers: [{ name: 'compute', resources: { requests: { cpu: shape.requests ?? '100m' } } }] },
    status: {
      phase: shape.phase ?? 'Running',
      startTime: minutesAgo(shape.startedMinutesAgo ?? 60),
      conditions: [
        {
          type: 'Ready',
          status: shape.ready ?? 'True',
          lastTransitionTime: minutesAgo(shape.readyMinutesAgo ?? shape.startedMinutesAgo ?? 60),
        },
      ],
    },
  }) as unknown as Pod;

const world = (shapes: readonly Shape[]) => ({
  pods: shapes.map((shape, index) => pod(`p${index}`, shape)),
  samples: new Map<string, PodSample>(
    shapes.flatMap(({ uses }, index) =>
      uses === undefined ? [] : [[`p${index}`, { milli: uses, atMs: NOW, windowMs: 30_000 }] as const],
    ),
  ),
});

describe('pods that request 100m and are to use half of it', () => {
  const wanted = (shapes: readonly Shape[], replicas = shapes.length, percent = 50) => {
    const { pods, samples } = world(shapes);
    const groups = groupPods(pods, samples, 'cpu', NOW);
    return replicasForPods(samples, groups, replicas, byUtilization(percent, podRequests(pods, 'cpu')), TOLERANCE);
  };
  it.each<[string, Shape[], number, number]>([
    ['twice the load: twice as many', [{ uses: 100 }, { uses: 100 }], 4, 100],
    ['half the load: half as many', [{ uses: 25 }, { uses: 25 }], 1, 25],
    ['a tenth more is tolerated', [{ uses: 55 }, { uses: 55 }], 2, 55],
    ['a bit more is not', [{ uses: 56 }, { uses: 56 }], 3, 56],
    ['fractions are cut before they are compared', [{ uses: 55.9 }, { uses: 55.9 }], 2, 55],
    ['no load at all: none', [{ uses: 0 }, { uses: 0 }], 0, 0],
    ['a pod that goes does not count', [{ uses: 100 }, { uses: 100, isDeleting: true }], 2, 100],
    ['nor does one that has failed', [{ uses: 100 }, { uses: 100, phase: 'Failed' }], 2, 100],
    ['one that waits will take its share: three would be for all', [{ uses: 100 }, { phase: 'Pending' }], 2, 100],
    ['one without a sample is idle when there would be more', [{ uses: 200 }, {}], 4, 200],
    ['and fully busy when there would be fewer', [{ uses: 20 }, { uses: 20 }, {}], 3, 20],
    ['unless that turns the direction', [{ uses: 40 }, {}], 2, 40],
    [
      'one that has just started may be busy with that',
      [{ uses: 100, startedMinutesAgo: 1, ready: 'False' }, { uses: 50 }],
      2,
      50,
    ],
    [
      'one that got ready after its sample began counts later',
      [{ uses: 500, startedMinutesAgo: 2, readyMinutesAgo: 0.2 }, { uses: 50 }],
      2,
      50,
    ],
    [
      'one that is long unready counts if it was ready once',
      [{ uses: 100, ready: 'False', readyMinutesAgo: 10 }, { uses: 100 }],
      4,
      100,
    ],
    ['and does not if it never was', [{ uses: 500, ready: 'False' }, { uses: 50 }], 2, 50],
  ])('%s', (_, shapes, replicas, utilization) => {
    expect(wanted(shapes)).toMatchObject({ replicas, utilization });
  });

  it('say in Kubernetes’ words what is missing', () => {
    expect(() => wanted([{}, {}])).toThrow('did not receive metrics for targeted pods (pods might be unready)');
    expect(() => podRequests([{ ...pod('p', {}), spec: { containers: [{ name: 'c' }] } }], 'cpu')).toThrow(
      'missing request for cpu in container c of Pod p',
    );
    expect(() => readyPodCount([])).toThrow('no pods returned by selector while calculating replica count');
  });
});

test('requests of all containers are added up, or of the named one', () => {
  const both = {
    metadata: { name: 'p' },
    spec: {
      containers: [
        { name: 'a', resources: { requests: { cpu: '1' } } },
        { name: 'b', resources: { requests: { cpu: '250m' } } },
      ],
      initContainers: [
        { name: 'sidecar', restartPolicy: 'Always', resources: { requests: { cpu: '50m' } } },
        { name: 'once' },
      ],
    },
  } as unknown as Pod;
  expect(podRequests([both], 'cpu')).toEqual(new Map([['p', 1300]]));
  expect(podRequests([both], 'cpu', 'b')).toEqual(new Map([['p', 250]]));
});

test.each<[string, Shape[], number]>([
  ['an average above the target: more', [{ uses: 30 }, { uses: 30 }], 6],
  ['one without a sample takes the target when there would be fewer', [{ uses: 2 }, { uses: 2 }, {}], 2],
])('amounts: %s', (_, shapes, replicas) => {
  const { pods, samples } = world(shapes);
  const groups = groupPods(pods, samples, '', NOW);
  expect(replicasForPods(samples, groups, shapes.length, byAverage(10), TOLERANCE).replicas).toBe(replicas);
});

test.each<[number, number, number, number]>([
  // used, target, replicas now, wanted; four pods are ready
  [2000, 1000, 4, 8],
  [1050, 1000, 4, 4],
  [500, 1000, 4, 2],
  [1500, 1000, 0, 2],
])('a shared value of %d where %d is wanted: from %d to %d', (used, target, current, wanted) => {
  expect(replicasForValue(used, target, current, () => 4, TOLERANCE)).toBe(wanted);
});

test('a share each: the value divided by what is wanted', () => {
  expect(replicasForShare(5500, 1000, 3, TOLERANCE)).toEqual({ replicas: 6, averageMilli: 1834 });
  expect(replicasForShare(3100, 1000, 3, TOLERANCE).replicas).toBe(3);
});
