import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KeepAlive } from './keepAlive.ts';

let calls: string[];
let isListening: boolean;
let keepAlive: KeepAlive;

beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
  isListening = true;
  keepAlive = new KeepAlive(
    { intervalMs: 1000, count: 2 },
    { ping: () => calls.push('ping'), dead: () => calls.push('dead'), isListening: () => isListening },
  );
});

afterEach(() => {
  keepAlive.stop();
  vi.useRealTimers();
});

it('pings in silence, and gives up when no ping is answered', () => {
  vi.advanceTimersByTime(2000);
  expect(calls).toEqual(['ping', 'ping']);
  vi.advanceTimersByTime(1000);
  expect(calls).toEqual(['ping', 'ping', 'dead']);
});

it('needs no pings while the daemon speaks, and counts anew after each word', () => {
  for (let second = 0; second < 5; second += 1) {
    keepAlive.heard();
    vi.advanceTimersByTime(1000);
  }
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(2000);
  keepAlive.heard();
  vi.advanceTimersByTime(3000);
  expect(calls).toEqual(['ping', 'ping', 'ping', 'ping']);
});

it('does not blame the daemon while nobody listens', () => {
  vi.advanceTimersByTime(2000);
  isListening = false;
  vi.advanceTimersByTime(100_000);
  isListening = true;
  expect(calls).toEqual(['ping', 'ping']);
  vi.advanceTimersByTime(3000);
  expect(calls.at(-1)).toBe('dead');
});
