import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { describe, expect, it } from 'vitest';
import { pod } from '../testing/scheduler.ts';
import { recordedMessage, roleOf, scheduledCondition, schedulingFieldsDiffer } from './podState.ts';

describe('roleOf', () => {
  it.each<[string, Pod, ReturnType<typeof roleOf>]>([
    ['a new pod', pod('p'), 'place'],
    ['a pod that names this scheduler', pod('p', { schedulerName: 'default-scheduler' }), 'place'],
    ['a pod of another scheduler', pod('p', { schedulerName: 'mine' }), 'none'],
    ['a placed pod', pod('p', { nodeName: 'n1' }), 'none'],
    ['a pod that is going', pod('p', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), 'none'],
    ['a pod that ended', { ...pod('p'), status: { phase: 'Failed' } }, 'none'],
    ['a gated pod', pod('p', { schedulingGates: [{ name: 'wait' }] }), 'gated'],
  ])('%s', (_, each, expected) => {
    expect(roleOf(each)).toBe(expected);
  });
});

describe('scheduledCondition', () => {
  const now = new Date('2026-01-02T00:00:00.123Z');
  const waiting = (message: string): Pod => ({
    ...pod('p'),
    status: {
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  });

  it('writes nothing twice', () => {
    expect(scheduledCondition(waiting('full'), 'Unschedulable', 'full', now)).toBeUndefined();
  });

  it('writes nothing where only what is free has changed', () => {
    const message = (asked: string, free: string) =>
      `0/1 nodes are available: 1 Insufficient memory. It requests ${asked} of memory; at most ${free} is free on any node.`;
    const current = waiting(message('9Gi', '8Gi'));
    expect(scheduledCondition(current, 'Unschedulable', message('9Gi', '512Mi'), now)).toBeUndefined();
    expect(recordedMessage(current, message('9Gi', '512Mi'))).toBe(message('9Gi', '8Gi'));
    expect(recordedMessage(current, message('10Gi', '8Gi'))).toBe(message('10Gi', '8Gi'));
    expect(scheduledCondition(current, 'Unschedulable', message('10Gi', '8Gi'), now)).toBeDefined();
    expect(
      scheduledCondition(current, 'Unschedulable', message('9Gi', '8Gi').replace('1 I', '2 I'), now),
    ).toBeDefined();
  });

  it('keeps the time of the transition while the status stays', () => {
    const condition = scheduledCondition(waiting('full'), 'Unschedulable', 'fuller', now);
    expect(condition).toMatchObject({ message: 'fuller', lastTransitionTime: '2026-01-01T00:00:00Z' });
  });

  it('starts with the present', () => {
    expect(scheduledCondition(pod('p'), 'SchedulingGated', 'gated', now)?.lastTransitionTime).toBe(
      '2026-01-02T00:00:00Z',
    );
  });
});

describe('schedulingFieldsDiffer', () => {
  it('looks at spec and labels only', () => {
    expect(schedulingFieldsDiffer(pod('p'), { ...pod('p'), status: { phase: 'Pending' } })).toBe(false);
    expect(schedulingFieldsDiffer(pod('p'), pod('p', {}, { annotations: { a: 'b' } }))).toBe(false);
    expect(schedulingFieldsDiffer(pod('p'), pod('p', { priority: 1 }))).toBe(true);
    expect(schedulingFieldsDiffer(pod('p'), pod('p', {}, { labels: { a: 'b' } }))).toBe(true);
  });
});
