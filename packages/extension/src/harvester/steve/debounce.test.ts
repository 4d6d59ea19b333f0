import { getEventListeners } from 'node:events';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { expect, it } from 'vitest';
import { debounced } from './debounce.ts';

function begin() {
  const clock = new FakeClock();
  const end = new AbortController();
  const told: number[] = [];
  const tell = debounced<number>(clock, 100, (last) => told.push(last), end.signal);
  return { clock, end, tell, told };
}

it('the first change is told at once, and of those of the next moments the last', () => {
  const { clock, tell, told } = begin();
  for (const change of [1, 2, 3, 4]) tell(change);
  expect(told).toEqual([1]);
  clock.advance(99);
  expect(told).toEqual([1]);
  clock.advance(1);
  expect(told).toEqual([1, 4]);
  clock.advance(1000);
  expect(told).toEqual([1, 4]);
  tell(5);
  expect(told).toEqual([1, 4, 5]);
});

it('a subscription listens for its end once, however much it tells', () => {
  const { clock, end, tell } = begin();
  for (let count = 0; count < 20; count++) {
    tell(count);
    clock.advance(200);
  }
  expect(getEventListeners(end.signal, 'abort')).toHaveLength(1);
});

it('nothing is told after the end, and no timer is left', () => {
  const { clock, end, tell, told } = begin();
  tell(1);
  tell(2);
  end.abort();
  tell(3);
  expect(clock.pending).toBe(0);
  clock.advance(1000);
  expect(told).toEqual([1]);
});
