import type { Pod, PodDisruptionBudget } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { budgetStatus, failedStatus } from './status.ts';

const now = new Date('2026-01-01T00:10:00Z');
const pod = (name: string, isReady = true, metadata: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', ...metadata },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});
const budget = (
  spec: PodDisruptionBudget['spec'],
  status: PodDisruptionBudget['status'] = {},
): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 'default', generation: 3 },
  spec,
  status,
});
const [a, b, c] = [pod('a'), pod('b'), pod('c')];

describe('budgetStatus', () => {
  it.each<[string, PodDisruptionBudget, Pod[], number, object]>([
    [
      'a fixed minimum',
      budget({ minAvailable: 2 }),
      [a, b, c],
      0,
      { expectedPods: 3, currentHealthy: 3, desiredHealthy: 2, disruptionsAllowed: 1 },
    ],
    [
      'a share, rounded up',
      budget({ minAvailable: '50%' }),
      [a, b, c],
      3,
      { desiredHealthy: 2, disruptionsAllowed: 1 },
    ],
    [
      'a most that may be missing',
      budget({ maxUnavailable: 1 }),
      [a, b, c],
      4,
      { expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 0 },
    ],
    [
      'a share that may be missing, rounded up',
      budget({ maxUnavailable: '30%' }),
      [a, b, c],
      3,
      { desiredHealthy: 2, disruptionsAllowed: 1 },
    ],
    [
      'pods that are not ready',
      budget({ minAvailable: 1 }),
      [a, pod('x', false)],
      0,
      { currentHealthy: 1, disruptionsAllowed: 0 },
    ],
    [
      'pods that are going',
      budget({ minAvailable: 1 }),
      [a, pod('x', true, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      0,
      { currentHealthy: 1 },
    ],
    ['no pods', budget({ minAvailable: 0 }), [], 0, { expectedPods: 0, disruptionsAllowed: 0 }],
    [
      'an eviction just granted',
      budget({ minAvailable: 1 }, { disruptedPods: { a: '2026-01-01T00:09:30Z' } }),
      [a, b],
      0,
      { currentHealthy: 1, disruptionsAllowed: 0, disruptedPods: { a: '2026-01-01T00:09:30Z' } },
    ],
    [
      'one that never came about',
      budget({ minAvailable: 1 }, { disruptedPods: { a: '2026-01-01T00:07:00Z' } }),
      [a, b],
      0,
      { currentHealthy: 2, disruptionsAllowed: 1 },
    ],
  ])('%s', (_, of, pods, expected, status) => {
    expect(budgetStatus(of, pods, expected, now)).toMatchObject({ observedGeneration: 3, ...status });
  });

  it('says in a condition whether pods may be evicted, since when', () => {
    const first = budgetStatus(budget({ minAvailable: 2 }), [a, b, c], 0, now);
    expect(first.conditions).toEqual([
      {
        type: 'DisruptionAllowed',
        status: 'True',
        reason: 'SufficientPods',
        message: '',
        observedGeneration: 3,
        lastTransitionTime: '2026-01-01T00:10:00Z',
      },
    ]);
    const later = budgetStatus(budget({ minAvailable: 2 }, first), [a, b, c], 0, new Date('2026-01-01T01:00:00Z'));
    expect(later.conditions).toEqual(first.conditions);
  });

  it('allows nothing when the count is unknown', () => {
    const status = failedStatus(budget({ maxUnavailable: 1 }, { disruptionsAllowed: 5 }), 'no scale', now);
    expect(status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ reason: 'SyncFailed', message: 'no scale' }],
    });
  });
});
