import { expect, it } from 'vitest';
import type { EventObject } from '../data/kinds.ts';
import { eventPaths, eventRow, foldEvents, isAbout, launchersOf } from './events.ts';

const event = (reason: string, lastTimestamp: string, more: Partial<EventObject> = {}): EventObject => ({
  metadata: { name: `${reason}-${lastTimestamp}` },
  type: 'Normal',
  reason,
  message: reason,
  lastTimestamp,
  involvedObject: { kind: 'VirtualMachine', name: 'web' },
  ...more,
});

it('events are newest first, and repeats are one', () => {
  const folded = foldEvents([
    event('Created', '2026-01-01T00:00:01Z'),
    event('Failed', '2026-01-01T00:00:02Z', { type: 'Warning', count: 3 }),
    event('Failed', '2026-01-01T00:00:05Z', { type: 'Warning' }),
    event('Started', '2026-01-01T00:00:04Z', { lastTimestamp: null, eventTime: '2026-01-01T00:00:04Z' }),
  ]);
  expect(folded.map(({ reason, count, lastAt, isWarning }) => [reason, count, lastAt, isWarning])).toEqual([
    ['Failed', 4, '2026-01-01T00:00:05Z', true],
    ['Started', 1, '2026-01-01T00:00:04Z', false],
    ['Created', 1, '2026-01-01T00:00:01Z', false],
  ]);
});

it.each([
  ['VirtualMachine', 'web', true],
  ['VirtualMachineInstance', 'web', true],
  ['VirtualMachine', 'web-2', false],
  ['Pod', 'virt-launcher-web-x7k2p', true],
  ['Pod', 'virt-launcher-web-2-x7k2p', false],
  ['Node', 'web', false],
])('an event of %s %s is about web: %s', (kind, name, isOfWeb) => {
  expect(isAbout(event('Any', '', { involvedObject: { kind, name } }), 'web')).toBe(isOfWeb);
});

it('events are read of single objects, each once', () => {
  const vmi = { metadata: { name: 'web' }, spec: {}, status: { activePods: { 'a-1': 'node-1', 'b-2': 'node-2' } } };
  expect(eventPaths('shop', { names: ['web', 'web'], uids: launchersOf(vmi) })).toEqual([
    '/api/v1/namespaces/shop/events?fieldSelector=involvedObject.name%3Dweb',
    '/api/v1/namespaces/shop/events?fieldSelector=involvedObject.uid%3Da-1',
    '/api/v1/namespaces/shop/events?fieldSelector=involvedObject.uid%3Db-2',
  ]);
  expect(launchersOf(undefined)).toEqual([]);
});

it('what is kept of an event is enough to tell it', () => {
  const whole = event('Created', '2026-01-01T00:00:01Z', { count: 2, source: { component: 'virt-controller' } });
  const metadata = { ...whole.metadata, namespace: 'shop', resourceVersion: '7', managedFields: [{ manager: 'x' }] };
  const kept = eventRow({ ...whole, metadata });
  expect(foldEvents([kept])).toEqual(foldEvents([whole]));
  expect(kept.metadata).toEqual({ name: whole.metadata.name });
});
