import type { Pod, Service } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { TriggerTimes } from './triggerTimes.ts';

const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
const service = persisted<Service>({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default', creationTimestamp: at(1) },
});
const pod = (name: string, minute: number) =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(minute) }] },
  });

it('the trigger of a write is the earliest change since the last look', () => {
  const times = new TriggerTimes();
  expect(times.next('default/web', service, [pod('a', 5)])).toBe(at(1));
  expect(times.next('default/web', service, [pod('a', 5)])).toBeUndefined();
  expect(times.next('default/web', service, [pod('a', 9), pod('b', 8)])).toBe(at(8));
  times.forget('default/web');
  expect(times.next('default/web', service, [pod('a', 9)])).toBe(at(1));
});
