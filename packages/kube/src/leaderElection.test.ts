import { ApiError, Lease } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import { runWhileLeader } from './leaderElection.ts';
import { eventually } from './testing/eventually.ts';
import { FakeClock } from './testing/fakeClock.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { fakeTransport } from './testing/fakeTransport.ts';
import { memoryLog } from './testing/memoryLog.ts';

let server: FakeKubernetes;
let clock: FakeClock;
let stop: AbortController;
/** Who leads now. */
let leaders: Set<string>;

beforeEach(() => {
  server = new FakeKubernetes();
  clock = new FakeClock();
  stop = new AbortController();
  leaders = new Set();
});
afterEach(() => stop.abort());

function candidate(identity: string, signal = stop.signal): Promise<void> {
  const client = new Client(fakeTransport(server));
  const options = { client, namespace: 'kube-system', name: 'controllers', identity, clock, log: memoryLog() };
  return runWhileLeader(
    options,
    async ({ signal: term }) => {
      leaders.add(identity);
      if (!term.aborted) await new Promise((resolve) => term.addEventListener('abort', resolve, { once: true }));
      leaders.delete(identity);
    },
    signal,
  );
}

const lease = () => [...server.store.state().values()][0] as unknown as Lease | undefined;
const holder = () => lease()?.spec?.holderIdentity;
const isLeading = (identity: string) => () => leaders.has(identity);
/** Lets time pass in small steps, as it does, until something is the case. */
const passUntil = (condition: () => boolean) =>
  eventually(() => {
    if (condition()) return true;
    clock.advance(500);
    return false;
  });

describe('runWhileLeader', () => {
  it('takes a lease that nobody holds', async () => {
    void candidate('one');
    await eventually(isLeading('one'));
    expect(lease()).toMatchObject({
      metadata: { namespace: 'kube-system', name: 'controllers' },
      spec: { holderIdentity: 'one', leaseDurationSeconds: 15, leaseTransitions: 0 },
    });
    expect(lease()?.spec?.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it('keeps it against others while it renews', async () => {
    void candidate('one');
    await eventually(isLeading('one'));
    void candidate('two');
    await passUntil(() => clock.now() > 120_000);
    expect([...leaders]).toEqual(['one']);
    expect(lease()?.spec?.leaseTransitions).toBe(0);
  });

  it('hands over at once when it stops', async () => {
    const first = new AbortController();
    const one = candidate('one', first.signal);
    await eventually(isLeading('one'));
    void candidate('two');
    await passUntil(() => clock.now() > 10_000);
    first.abort();
    await one;
    expect(holder()).toBe('');
    const releasedAt = clock.now();
    await passUntil(isLeading('two'));
    expect(clock.now() - releasedAt).toBeLessThan(5_000);
    expect(lease()?.spec?.leaseTransitions).toBe(1);
  });

  it('hands over even if its last renewal was cut off after it was done', async () => {
    const own = new AbortController();
    const ended = candidate('a', own.signal);
    await passUntil(isLeading('a'));
    const renewed = { spec: { renewTime: '2026-01-01T00:00:00.000000Z' } };
    const leases = new Client(fakeTransport(server)).of(Lease);
    await leases.patch('controllers', renewed, { namespace: 'kube-system', type: 'merge' });
    own.abort();
    await ended;
    expect(holder()).toBe('');
  });

  it('stops leading before another may take over when it can no longer renew', async () => {
    void candidate('one');
    await eventually(isLeading('one'));
    const cutAt = clock.now();
    server.intercept = ({ method }) => {
      if (method !== 'GET') throw new ApiError('ServiceUnavailable', 'away');
    };
    await passUntil(() => leaders.size === 0);
    expect(clock.now() - cutAt).toBeLessThan(15_000);
  });

  it('takes over a lease whose holder has gone silent, after its whole duration', async () => {
    const gone = new AbortController();
    void candidate('one', gone.signal);
    await eventually(isLeading('one'));
    server.intercept = ({ body }) => {
      const by = (body as Lease | undefined)?.spec?.holderIdentity;
      if (by === 'one' || by === '') throw new ApiError('ServiceUnavailable', 'cut off');
    };
    const silentSince = clock.now();
    gone.abort();
    void candidate('two');
    await passUntil(isLeading('two'));
    expect(clock.now() - silentSince).toBeGreaterThanOrEqual(15_000);
    expect(lease()?.spec?.leaseTransitions).toBe(1);
  });

  it('is a candidate again after it lost', async () => {
    void candidate('one');
    await eventually(isLeading('one'));
    server.intercept = () => {
      throw new ApiError('ServiceUnavailable', 'away');
    };
    await passUntil(() => leaders.size === 0);
    server.intercept = () => {};
    await passUntil(isLeading('one'));
  });

  it('ends with the error of what it led, and gives up the lease', async () => {
    const client = new Client(fakeTransport(server));
    const options = { client, namespace: 'n', name: 'l', identity: 'one', clock, log: memoryLog() };
    const failing = runWhileLeader(options, () => Promise.reject(new Error('a bug')), stop.signal);
    await expect(failing).rejects.toThrow('a bug');
    expect(holder()).toBe('');
  });

  it('refuses a deadline that would leave two leaders', async () => {
    const client = new Client(fakeTransport(server));
    const options = { client, namespace: 'n', name: 'l', identity: 'one', renewDeadlineMs: 15_000 };
    await expect(runWhileLeader(options, async () => {}, stop.signal)).rejects.toThrow(
      'renewDeadlineMs (15000) must be less than leaseDurationMs (15000)',
    );
  });
});
