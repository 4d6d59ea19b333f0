import type { Persisted, Pod, PodDisruptionBudget } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { evictionDecision } from './eviction.ts';

const now = new Date('2026-01-01T00:00:00Z');
const pod = (more: Partial<Pod> = {}, isReady = true) =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', labels: { app: 'web' } },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
    ...more,
  });
const budget = (status: PodDisruptionBudget['status'], spec: PodDisruptionBudget['spec'] = {}) =>
  persisted<PodDisruptionBudget>({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'default', generation: 1 },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    status: { observedGeneration: 1, ...status },
  });
const full = budget({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 });

describe('evictionDecision', () => {
  it.each<[string, Persisted<Pod>, Persisted<PodDisruptionBudget>[], string]>([
    ['no budget', pod(), [], 'allow'],
    [
      'a budget for others',
      pod(),
      [budget({ disruptionsAllowed: 0 }, { selector: { matchLabels: { app: 'db' } } })],
      'allow',
    ],
    ['a budget with room', pod(), [budget({ disruptionsAllowed: 1 })], 'recordDisruption'],
    ['a pod that ended', pod({ status: { phase: 'Succeeded' } }), [full], 'allow'],
    ['a pod that never started', pod({ status: { phase: 'Pending' } }), [full], 'allow'],
    ['an unready pod while the others suffice', pod({}, false), [full], 'allow'],
    [
      'an unready pod while they do not',
      pod({}, false),
      [budget({ disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 })],
      'refuse',
    ],
    [
      'an unready pod that may always go',
      pod({}, false),
      [budget({ disruptionsAllowed: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' })],
      'allow',
    ],
    ['a full budget', pod(), [full], 'refuse'],
    ['a budget not yet looked at', pod(), [budget({ observedGeneration: 0, disruptionsAllowed: 1 })], 'refuse'],
    ['two budgets', pod(), [full, full], 'refuse'],
  ])('%s', (_, of, budgets, action) => {
    expect(evictionDecision(of, budgets, now).action).toBe(action);
  });

  const refusal = (...budgets: Persisted<PodDisruptionBudget>[]) => {
    const decision = evictionDecision(pod(), budgets, now);
    return decision.action === 'refuse' ? decision.error.status : undefined;
  };

  it('refuses with 429 and the cause that kubectl drain waits for', () => {
    expect(refusal(full)).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          { reason: 'DisruptionBudget', message: 'The disruption budget b needs 2 healthy pods and has 2 currently' },
        ],
      },
    });
  });

  it('refuses with 500 where two budgets claim the pod', () => {
    expect(refusal(full, full)).toMatchObject({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  });

  it('books what it grants', () => {
    const decision = evictionDecision(pod(), [budget({ disruptionsAllowed: 1 })], now);
    expect(decision).toMatchObject({
      status: {
        disruptionsAllowed: 0,
        disruptedPods: { p: '2026-01-01T00:00:00Z' },
        conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
      },
    });
  });
});
