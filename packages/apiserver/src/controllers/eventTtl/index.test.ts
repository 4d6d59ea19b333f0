import { Event } from '@vireo/api';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { EVENT_TTL_USER, startEventTtlController } from './index.ts';

let test: TestServer;
const events = () => test.admin.of(Event);
const inDefault = { namespace: 'default' };
const make = (name: string, lastTimestamp: string) =>
  events().create({
    metadata: { name, ...inDefault },
    involvedObject: { kind: 'Pod', name: 'p', ...inDefault },
    reason: 'R',
    message: 'm',
    type: 'Normal',
    lastTimestamp,
  });

beforeEach(async () => {
  test = await startServerInMemory();
});
afterEach(() => test.stop());

describe('the lifetime of events', () => {
  it('ends an hour after they last happened', async () => {
    const clock = new FakeClock();
    clock.advance(Date.now() + 2 * 3_600_000);
    await make('fresh', new Date(clock.now()).toISOString().replace(/\.\d+/, ''));
    await make('stale', '2020-01-01T00:00:00Z');
    test.start(EVENT_TTL_USER, (context, signal) => startEventTtlController({ ...context, clock }, signal));
    await gone(() => events().get('stale', inDefault));
    expect((await events().get('fresh', inDefault)).metadata.name).toBe('fresh');
  });
});
