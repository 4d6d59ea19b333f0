import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Silence } from './silence.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends only after nothing was heard for the whole time', () => {
  const silence = new Silence(75_000);
  vi.advanceTimersByTime(74_000);
  silence.heard();
  vi.advanceTimersByTime(74_000);
  expect(silence.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(silence.signal.reason).toEqual(new Error('The server has been silent for 75 s.'));
});

it('does not end what has ended', () => {
  const silence = new Silence(75_000);
  silence.stop();
  vi.advanceTimersByTime(80_000);
  expect(silence.signal.aborted).toBe(false);
});
