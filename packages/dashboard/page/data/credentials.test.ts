import { expect, it } from 'vitest';
import { Credentials } from './credentials.ts';

const of = (token: string) => ({ kind: 'token' as const, token });

it('before the login has succeeded, a refusal is just that', async () => {
  const credentials = new Credentials(of('a'));
  expect(await credentials.rejected('a')).toBe(false);
  expect(credentials.snapshot().isRejected).toBe(false);
});

it('afterwards, whoever is refused waits until the user has logged in again', async () => {
  const credentials = new Credentials(of('a'));
  credentials.open();
  let told = 0;
  credentials.subscribe(() => told++);
  const waiting = [credentials.rejected('a'), credentials.rejected('a')];
  expect(credentials.snapshot().isRejected).toBe(true);
  expect(told).toBe(1);
  credentials.renew(of('b'));
  expect(await Promise.all(waiting)).toEqual([true, true]);
  expect(credentials.token).toBe('b');
  expect(credentials.snapshot().isRejected).toBe(false);
  // A late refusal of the old token is no news.
  expect(await credentials.rejected('a')).toBe(true);
});

it('who logs out ends the waiting, and nothing is left', async () => {
  const credentials = new Credentials(of('a'));
  credentials.open();
  const waiting = expect(credentials.rejected('a')).rejects.toThrow('logged out');
  credentials.forget();
  await waiting;
  expect(credentials.token).toBeUndefined();
  expect(JSON.stringify(credentials.snapshot())).not.toContain('"a"');
});

it('a request that is given up does not wait', async () => {
  const credentials = new Credentials(of('a'));
  credentials.open();
  const gone = new AbortController();
  const waiting = expect(credentials.rejected('a', gone.signal)).rejects.toThrow('enough');
  gone.abort(new Error('enough'));
  await waiting;
});
