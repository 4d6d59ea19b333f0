import { getEventListeners } from 'node:events';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { expect, it } from 'vitest';
import { debounced } from './debounce.ts';

function begin() {
  const clock = new FakeClock();
  const end = new AbortController();
  let told = 0;
  const tell = debounced(clock, 100, () => told++, end.signal);
  return { clock, end, tell, told: () => told };
}

it('the first change is told at once, and those of the next moments together', () => {
  const { clock, tell, told } = begin();
  tell();
  expect(told()).toBe(1);
  for (let count = 0; count < 5; count++) tell();
  clock.advance(99);
  expect(told()).toBe(1);
  clock.advance(1);
  expect(told()).toBe(2);
  clock.advance(1000);
  expect(told()).toBe(2);
  tell();
  expect(told()).toBe(3);
});

it('a subscription listens for its end once, however much it tells', () => {
  const { clock, end, tell } = begin();
  for (let count = 0; count < 20; count++) {
    tell();
    clock.advance(200);
  }
  expect(getEventListeners(end.signal, 'abort')).toHaveLength(1);
});

it('nothing is told after the end, and no timer is left', () => {
  const { clock, end, tell, told } = begin();
  tell();
  tell();
  end.abort();
  tell();
  expect(clock.pending).toBe(0);
  clock.advance(1000);
  expect(told()).toBe(1);
});
