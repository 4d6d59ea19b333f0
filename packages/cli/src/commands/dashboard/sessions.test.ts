import { expect, it } from 'vitest';
import { CODE_MS, cookieIn, IDLE_MS, Sessions } from './sessions.ts';

function start() {
  let nowMs = 0;
  const sessions = new Sessions({ now: () => nowMs });
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { sessions, wait };
}

it('a code is exchanged once, for a session that stays until it is ended', () => {
  const { sessions, wait } = start();
  const code = sessions.newCode();
  expect(code).toMatch(/^[\w-]{43}$/);
  expect(sessions.isOpen(code)).toBe(false);
  wait(CODE_MS);
  const secret = sessions.exchange(code) ?? '';
  expect(sessions.isOpen(secret)).toBe(true);
  expect(sessions.exchange(code)).toBeUndefined();
  wait(1_000_000);
  expect(sessions.isOpen(secret)).toBe(true);
  sessions.end(secret);
  expect(sessions.isOpen(secret)).toBe(false);
});

it('a session that is not used ends, and a look at it is no use', () => {
  const { sessions, wait } = start();
  const secret = sessions.exchange(sessions.newCode()) ?? '';
  wait(IDLE_MS);
  expect(sessions.isOpen(secret)).toBe(true);
  wait(IDLE_MS - 1);
  expect(sessions.isAlive(secret)).toBe(true);
  wait(2);
  expect(sessions.isAlive(secret)).toBe(false);
  expect(sessions.isOpen(secret)).toBe(false);
});

it('a code that is late, wrong or replaced opens nothing', () => {
  const { sessions, wait } = start();
  const late = sessions.newCode();
  wait(CODE_MS + 1);
  expect(sessions.exchange(late)).toBeUndefined();
  const replaced = sessions.newCode();
  const current = sessions.newCode();
  expect(sessions.exchange(replaced)).toBeUndefined();
  expect(sessions.exchange('')).toBeUndefined();
  expect(sessions.exchange(current)).toBeDefined();
  expect(sessions.isOpen(undefined)).toBe(false);
  expect(sessions.isOpen('')).toBe(false);
});

it.each([
  ['a=1; vireo-dashboard-1=x=y; b=2', 'x=y'],
  ['vireo-dashboard-12=no', undefined],
  [undefined, undefined],
])('the cookie in %s is %s', (header, value) => {
  expect(cookieIn(header, 'vireo-dashboard-1')).toBe(value);
});
