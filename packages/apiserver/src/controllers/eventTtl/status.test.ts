import type { Event } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { expiresInMs } from './status.ts';

const HOUR = 3_600_000;
const now = Date.parse('2026-01-01T12:00:00Z');
const event = (more: Partial<Event>, creationTimestamp?: string): Event => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'default', creationTimestamp },
  involvedObject: {},
  ...more,
});

describe('expiresInMs', () => {
  it.each<[string, Event, number]>([
    ['an hour after its creation', event({}, '2026-01-01T11:30:00Z'), HOUR / 2],
    ['an hour after it last happened', event({ lastTimestamp: '2026-01-01T12:00:00Z' }, '2026-01-01T10:00:00Z'), HOUR],
    [
      'the same in the newer form',
      event({ series: { lastObservedTime: '2026-01-01T11:45:00.5Z' } }, '2026-01-01T10:00:00Z'),
      HOUR * 0.75 + 500,
    ],
    ['over', event({}, '2026-01-01T10:00:00Z'), -HOUR],
    ['without any time it gets the full hour', event({}), HOUR],
  ])('%s', (_, of, expected) => {
    expect(expiresInMs(of, now)).toBe(expected);
  });
});
