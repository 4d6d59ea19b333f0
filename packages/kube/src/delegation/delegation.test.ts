import { describe, expect, it } from 'vitest';
import { Client } from '../client.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import type { ApiCall, Transport } from '../transport.ts';
import { cachedAccessReviews } from './accessReviews.ts';
import { ExpiringCache } from './expiringCache.ts';
import { bearerTokenOf, cachedTokenReviews } from './tokenReviews.ts';

/** A server that gives the same answer to every review. */
function answering(status: object) {
  const calls: ApiCall[] = [];
  const call = async (made: ApiCall) => {
    calls.push(made);
    return { status: 201, headers: {}, body: { metadata: {}, status } };
  };
  return { calls, client: new Client({ call } as unknown as Transport) };
}

const JANE = { username: 'jane', groups: ['dev'] };
const get = (resource: string) => ({ resourceAttributes: { verb: 'get', resource, namespace: 'default' } });

describe('reviews of access', () => {
  it('are asked for once in ten seconds, for each user and access', async () => {
    const clock = new FakeClock();
    const { calls, client } = answering({ allowed: false, reason: 'no rule' });
    const review = cachedAccessReviews(client, { clock });
    await Promise.all([review(JANE, get('pods')), review(JANE, get('pods'))]);
    expect(await review(JANE, get('pods'))).toEqual({ allowed: false, reason: 'no rule' });
    expect(calls).toHaveLength(1);
    await review({ ...JANE, groups: ['ops'] }, get('pods'));
    await review(JANE, get('nodes'));
    await review(JANE, { nonResourceAttributes: { path: '/metrics', verb: 'get' } });
    expect(calls).toHaveLength(4);
    clock.advance(10_000);
    await review(JANE, get('pods'));
    expect(calls).toHaveLength(5);
  });

  it('do not depend on the order in which the access is written down', async () => {
    const { calls, client } = answering({ allowed: true });
    const review = cachedAccessReviews(client);
    await review(JANE, { resourceAttributes: { verb: 'get', resource: 'pods' } });
    await review(JANE, { resourceAttributes: { resource: 'pods', verb: 'get' } });
    expect(calls).toHaveLength(1);
  });

  it('are not needed for system:masters', async () => {
    const { calls, client } = answering({ allowed: false });
    const root = { username: 'root', groups: ['system:masters'] };
    expect(await cachedAccessReviews(client)(root, get('pods'))).toEqual({ allowed: true });
    expect(calls).toEqual([]);
  });

  it('are repeated after a failure', async () => {
    let isDown = true;
    const call = async () => {
      if (isDown) throw new Error('the server is down');
      return { status: 201, headers: {}, body: { metadata: {}, status: { allowed: true } } };
    };
    const review = cachedAccessReviews(new Client({ call } as unknown as Transport));
    await expect(review(JANE, get('pods'))).rejects.toThrow('the server is down');
    isDown = false;
    expect(await review(JANE, get('pods'))).toEqual({ allowed: true });
  });
});

describe('reviews of tokens', () => {
  it('name the user, and are remembered', async () => {
    const user = { username: 'jane', uid: '7', groups: ['dev'], extra: { scopes: ['read'] } };
    const { calls, client } = answering({ authenticated: true, user });
    const review = cachedTokenReviews(client);
    expect(await review('abc')).toEqual(user);
    expect(await review('abc')).toEqual(user);
    expect(calls.map(({ body }) => (body as { spec: unknown }).spec)).toEqual([{ token: 'abc' }]);
  });

  it('refuse a token that is not valid with 401', async () => {
    const { client } = answering({ authenticated: false, error: 'expired' });
    await expect(cachedTokenReviews(client)('abc')).rejects.toMatchObject({ code: 401, message: 'expired' });
  });

  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc ', 'abc'],
    ['Basic abc', undefined],
    [undefined, undefined],
  ])('%s has the token %s', (header, token) => expect(bearerTokenOf(header)).toBe(token));
});

it('a full cache forgets what was used longest ago', async () => {
  const cache = new ExpiringCache<number>({ lifetimeMs: 1000, maxEntries: 2, clock: new FakeClock() });
  let computed = 0;
  const get = (key: string) => cache.get(key, async () => ++computed);
  expect([await get('a'), await get('b'), await get('a'), await get('c')]).toEqual([1, 2, 1, 3]);
  expect([await get('a'), await get('b')]).toEqual([1, 4]);
});
