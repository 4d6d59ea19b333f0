import { notFound } from '@vireo/api';
import { systemClock } from '@vireo/kube';
import { expect, it, vi } from 'vitest';
import { cluster, node, pod } from '../testing/scheduler.ts';
import { ClusterState } from './clusterState.ts';
import { SchedulingQueue } from './queue.ts';
import { Scheduler, type SchedulerParts } from './scheduler.ts';

/** What happens to a pod whose binding fails. */
async function outcomeOf(error: Error): Promise<string> {
  const stop = new AbortController();
  const queue = new SchedulingQueue(systemClock);
  const outcome = new Promise<string>((resolve) => {
    vi.spyOn(queue, 'remove').mockImplementation(() => resolve('forgotten'));
    vi.spyOn(queue, 'requeueAfterBackoff').mockImplementation(() => resolve('tried again'));
  });
  const log = { debug: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const scheduler = new Scheduler({
    context: { log, recorder: { event: vi.fn() } },
    state: new ClusterState(),
    queue,
    binder: { bind: () => Promise.reject(error) },
    view: () => cluster({ nodes: [node('n1')] }),
    signal: stop.signal,
  } as unknown as SchedulerParts);
  queue.add(pod('fedora'));
  const running = scheduler.run();
  const result = await outcome;
  stop.abort();
  queue.close();
  await running;
  return result;
}

it.each([
  ['the pod itself', 'pods', 'forgotten'],
  ['its claim', 'persistentvolumeclaims', 'tried again'],
  ['its node', 'nodes', 'tried again'],
])('a pod whose binding fails because %s is missing, from %s, is %s', async (_, resource, expected) => {
  expect(await outcomeOf(notFound({ group: '', resource }, 'fedora'))).toBe(expected);
});
