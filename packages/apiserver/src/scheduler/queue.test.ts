import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { describe, expect, it } from 'vitest';
import { pod } from '../testing/scheduler.ts';
import type { Filter } from './filter.ts';
import { resourcesFilter } from './filters/resources.ts';
import { taintsFilter } from './filters/taints.ts';
import { SchedulingQueue } from './queue.ts';

const nameOf = async (queue: SchedulingQueue) => (await queue.take())?.metadata.name;

/** The queue after one pod was tried and refused. */
async function refusedOnce(...refusedBy: Filter[]) {
  const clock = new FakeClock();
  const queue = new SchedulingQueue(clock);
  queue.add(pod('p'));
  await queue.take();
  queue.addUnschedulable('default/p', refusedBy);
  let taken: string | undefined;
  void nameOf(queue).then((name) => {
    taken = name;
  });
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    return taken;
  };
  return { clock, queue, settle };
}

describe('SchedulingQueue', () => {
  it('hands out by priority, then by arrival', async () => {
    const queue = new SchedulingQueue(new FakeClock());
    queue.add(pod('old'));
    queue.add(pod('young'));
    queue.add(pod('urgent', { priority: 1000 }));
    expect([await nameOf(queue), await nameOf(queue), await nameOf(queue)]).toEqual(['urgent', 'old', 'young']);
  });

  it('hands out a pod once, by its newest priority, and none that was removed', async () => {
    const queue = new SchedulingQueue(new FakeClock());
    for (const name of ['first', 'second', 'third']) queue.add(pod(name));
    queue.add(pod('third', { priority: 1 }));
    queue.remove('default/first');
    expect([await nameOf(queue), await nameOf(queue)]).toEqual(['third', 'second']);
    const next = nameOf(queue);
    queue.add(pod('fourth'));
    expect(await next).toBe('fourth');
  });

  it('wakes a refused pod only for a change that its filter waits for, after its back-off', async () => {
    const { clock, queue, settle } = await refusedOnce(taintsFilter);
    queue.wakeOn('podGone');
    clock.advance(60_000);
    expect(await settle()).toBeUndefined();
    queue.wakeOn('nodeChanged');
    expect(await settle()).toBe('p');
  });

  it('keeps to the back-off when the change comes early', async () => {
    const { clock, queue, settle } = await refusedOnce(resourcesFilter);
    queue.wakeOn('podGone');
    expect(await settle()).toBeUndefined();
    clock.advance(1000);
    expect(await settle()).toBe('p');
  });

  it('tries a pod whose spec changed at once', async () => {
    const { queue, settle } = await refusedOnce(resourcesFilter);
    queue.add(pod('p', { priority: 1 }));
    expect(await settle()).toBe('p');
  });

  it('forgets a removed pod', async () => {
    const { clock, queue, settle } = await refusedOnce(resourcesFilter);
    queue.wakeOn('podGone');
    queue.remove('default/p');
    clock.advance(60_000);
    expect(await settle()).toBeUndefined();
  });

  it('ends the taker when it closes', async () => {
    const queue = new SchedulingQueue(new FakeClock());
    const taken = nameOf(queue);
    queue.close();
    expect(await taken).toBeUndefined();
  });
});
