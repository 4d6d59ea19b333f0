import { ConfigMap, Lease } from '@vireo/api';
import { afterEach, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import { runWhileLeader, type Term } from './leaderElection.ts';
import { LostLeadership, leaderTransport } from './leaderTransport.ts';
import { eventually } from './testing/eventually.ts';
import { FakeClock } from './testing/fakeClock.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { fakeTransport } from './testing/fakeTransport.ts';
import { memoryLog } from './testing/memoryLog.ts';

const stop = new AbortController();
afterEach(() => stop.abort());

describe('whoever leads writes', () => {
  it("until the lease may be another one's, whether it knows that or not", async () => {
    const server = new FakeKubernetes();
    const clock = new FakeClock();
    const transport = fakeTransport(server);
    const client = new Client(transport);
    let term: Term | undefined;
    const options = { client, namespace: 'kubevirt', name: 'lead', identity: 'one', clock, log: memoryLog() };
    const ended = runWhileLeader(
      options,
      async (began) => {
        term = began;
        await new Promise((resolve) => began.signal.addEventListener('abort', resolve, { once: true }));
      },
      stop.signal,
    );
    await eventually(() => term !== undefined);
    const maps = new Client(leaderTransport(transport, term as Term)).of(ConfigMap);
    const at = { namespace: 'default' };
    await maps.create({ metadata: { name: 'a', ...at } });

    // It was stopped for as long as the lease lasts, and none of its timers has run since.
    const leases = client.of(Lease);
    const before = await leases.get('lead', { namespace: 'kubevirt' });
    server.intercept = () => {
      throw new Error('the network is gone');
    };
    clock.advance(15_000);
    expect(term?.holds()).toBe(false);
    server.intercept = () => {};
    await expect(maps.delete('a', at)).rejects.toThrow(LostLeadership);
    await expect(maps.delete('a', at)).rejects.toThrow('another process may lead by now, so nothing was written');
    expect((await maps.get('a', at)).metadata.name).toBe('a');
    expect(before.spec?.holderIdentity).toBe('one');
    stop.abort();
    await ended;
  });

  it('and what is under way when it loses is cut off', async () => {
    const lost = new AbortController();
    let given: AbortSignal | undefined;
    const transport = leaderTransport(
      {
        call: ({ signal }) =>
          new Promise((_, reject) => {
            given = signal;
            signal?.addEventListener('abort', () => reject(signal.reason));
          }),
        watch: () => Promise.reject(new Error('not asked')),
        close: () => Promise.resolve(),
      },
      { signal: lost.signal, holds: () => !lost.signal.aborted },
    );
    const writing = transport.call({ method: 'PATCH', path: '/x', signal: new AbortController().signal });
    lost.abort(new Error('lost'));
    await expect(writing).rejects.toThrow('lost');
    expect(given?.aborted).toBe(true);
  });
});
