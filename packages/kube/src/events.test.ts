import { ApiError, type Event, notFound } from '@vireo/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import { EventRecorder } from './events.ts';
import { eventually } from './testing/eventually.ts';
import { FakeClock } from './testing/fakeClock.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { fakeTransport } from './testing/fakeTransport.ts';
import { configMap, type Namespace } from './testing/kinds.ts';
import { memoryLog } from './testing/memoryLog.ts';

let server: FakeKubernetes;
let clock: FakeClock;
let log: ReturnType<typeof memoryLog>;
let recorder: EventRecorder;
const object = { ...configMap('web'), metadata: { name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' } };

beforeEach(() => {
  server = new FakeKubernetes();
  clock = new FakeClock();
  clock.advance(Date.parse('2030-01-01T00:00:00Z'));
  log = memoryLog();
  recorder = new EventRecorder(new Client(fakeTransport(server)), { component: 'tester', host: 'h1', clock, log });
});

const stored = () => [...server.store.state().values()] as unknown as Event[];
const writes = () => server.calls.filter(({ method }) => method !== 'GET');

describe('EventRecorder', () => {
  it('writes an event that says who reports what of whom', async () => {
    recorder.event(object, 'Warning', 'Failed', 'out of paper');
    await recorder.flush();
    expect(stored()).toHaveLength(1);
    expect(stored()[0]).toMatchObject({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'shop', name: expect.stringMatching(/^web\.[0-9a-f]+$/) },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'web', uid: 'u1' },
      type: 'Warning',
      reason: 'Failed',
      message: 'out of paper',
      count: 1,
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
      source: { component: 'tester', host: 'h1' },
      reportingComponent: 'tester',
    });
  });

  it('goes on with others when one object has had its share', async () => {
    for (let i = 0; i < 40; i++) {
      recorder.event(object, 'Normal', 'Pulled', `time ${i}`);
      await recorder.flush();
    }
    const other = { ...object, metadata: { ...object.metadata, name: 'other', uid: 'u2' } };
    recorder.event(other, 'Normal', 'Pulled', 'once');
    await recorder.flush();
    expect(stored().map(({ involvedObject }) => involvedObject.name)).toContain('other');
  });

  it('writes events of different objects together, those of one in order', async () => {
    const transport = fakeTransport(server);
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const slow: typeof transport = {
      ...transport,
      call: async (request) => {
        begun.push((request.body as Event).message ?? '');
        await gate.promise;
        return transport.call(request);
      },
    };
    recorder = new EventRecorder(new Client(slow), { component: 'tester', clock, log });
    const other = { ...object, metadata: { ...object.metadata, name: 'other', uid: 'u2' } };
    recorder.event(object, 'Normal', 'A', 'first of one');
    recorder.event(other, 'Normal', 'A', 'first of another');
    recorder.event(object, 'Normal', 'B', 'second of one');
    await eventually(() => begun.length === 2);
    expect(begun).toEqual(['first of one', 'first of another']);
    gate.resolve();
    await recorder.flush();
    expect(begun).toEqual(['first of one', 'first of another', 'second of one']);
  });

  it('files events of objects without namespace under default', async () => {
    const namespace: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    recorder.event(namespace, 'Normal', 'Created', 'here it is');
    await recorder.flush();
    expect(stored()[0]?.metadata.namespace).toBe('default');
  });

  it('counts the same event up instead of repeating it', async () => {
    recorder.event(object, 'Normal', 'Pulled', 'again');
    await recorder.flush();
    clock.advance(60_000);
    recorder.event(object, 'Normal', 'Pulled', 'again');
    recorder.event(object, 'Normal', 'Pulled', 'again');
    await recorder.flush();
    expect(stored()).toHaveLength(1);
    expect(stored()[0]).toMatchObject({
      count: 3,
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:01:00Z',
    });
    expect(writes().map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH']);
  });

  it('begins a new event, with the old count, when the first has expired on the server', async () => {
    recorder.event(object, 'Normal', 'Pulled', 'again');
    await recorder.flush();
    for (const [key, event] of server.store.state()) server.store.append('DELETED', key, event);
    recorder.event(object, 'Normal', 'Pulled', 'again');
    await recorder.flush();
    expect(stored()).toMatchObject([{ count: 2, message: 'again' }]);
  });

  it('combines similar events after the tenth in ten minutes', async () => {
    for (let index = 1; index <= 12; index++) recorder.event(object, 'Normal', 'Scaled', `to ${index}`);
    await recorder.flush();
    const messages = stored().map(({ message, count }) => `${message} ×${count}`);
    expect(messages).toHaveLength(10);
    expect(messages).toContain('to 9 ×1');
    expect(messages).toContain('(combined from similar events): to 12 ×3');
  });

  it('does not combine what is further apart', async () => {
    for (let index = 1; index <= 12; index++) {
      recorder.event(object, 'Normal', 'Scaled', `to ${index}`);
      await recorder.flush();
      clock.advance(600_001);
    }
    expect(stored()).toHaveLength(12);
  });

  it('allows an object 25 events, then one in five minutes; others are not affected', async () => {
    for (let index = 0; index < 40; index++) recorder.event(object, 'Normal', `Reason${index}`, 'spam');
    await recorder.flush();
    expect(stored()).toHaveLength(25);
    clock.advance(300_000);
    recorder.event(object, 'Normal', 'Later', 'spam');
    recorder.event(object, 'Normal', 'TooMuch', 'spam');
    recorder.event({ ...object, metadata: { ...object.metadata, name: 'other', uid: 'u2' } }, 'Normal', 'A', 'b');
    await recorder.flush();
    expect(stored().map(({ reason }) => reason)).toContain('Later');
    expect(stored()).toHaveLength(27);
  });

  it('tries again while the server is away', async () => {
    server.intercept = () => {
      throw new ApiError('ServiceUnavailable', 'away');
    };
    recorder.event(object, 'Normal', 'A', 'b');
    await eventually(() => server.calls.length === 1 && clock.pending === 1);
    server.intercept = () => {};
    clock.advance(10_000);
    await recorder.flush();
    expect(stored()).toHaveLength(1);
  });

  it('logs and drops what the server refuses, and never throws at the caller', async () => {
    server.intercept = () => {
      throw new ApiError('Forbidden', 'events is forbidden: namespace shop is being terminated');
    };
    recorder.event(object, 'Normal', 'A', 'b');
    await recorder.flush();
    expect(server.calls).toHaveLength(1);
    expect(log.entries).toMatchObject([
      { level: 'warn', about: { kind: 'ConfigMap', name: 'web' }, fields: { reason: 'A' } },
    ]);
  });

  it('says nothing of events in a namespace that has gone', async () => {
    server.intercept = () => {
      throw notFound({ group: '', resource: 'namespaces' }, 'shop');
    };
    recorder.event(object, 'Warning', 'Failed', 'out of paper');
    await recorder.flush();
    expect(log.entries).toEqual([]);
  });

  it('holds no more than a thousand events, and drops all at the close', async () => {
    server.intercept = () => {
      throw new ApiError('ServiceUnavailable', 'away');
    };
    for (let index = 0; index < 1005; index++) recorder.event(object, 'Normal', `Reason${index}`, 'x');
    expect(log.entries).toHaveLength(1);
    recorder.close();
    await recorder.flush();
    recorder.event(object, 'Normal', 'Late', 'x');
    expect(stored()).toEqual([]);
  });

  it('tells once that it drops events, however long it stays full', async () => {
    const record = (count: number): void => {
      for (let index = 0; index < count; index++) recorder.event(object, 'Normal', `Reason${index}`, 'x');
    };
    server.intercept = () => {
      if (server.calls.length > 3) throw new ApiError('ServiceUnavailable', 'away');
    };
    record(1005);
    await eventually(() => clock.pending === 1);
    record(1005);
    expect(log.entries).toHaveLength(1);
    server.intercept = () => {};
    clock.advance(10_000);
    await recorder.flush();
    record(1005);
    expect(log.entries).toHaveLength(2);
  });
});
