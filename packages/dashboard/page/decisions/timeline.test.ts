import { expect, it } from 'vitest';
import type { EventObject, Vm, Vmi } from '../data/kinds.ts';
import { disksOf, isOf, isRelated, lastOf, nameIn } from './related.ts';
import { timelineOf } from './timeline.ts';

const at = (second: number): string => `2026-01-01T00:00:0${second}Z`;
const event = (kind: string, name: string, second: number, more: Partial<EventObject> = {}): EventObject => ({
  metadata: { name: `${name}.${second}` },
  type: 'Normal',
  reason: 'Pulled',
  message: 'pulled',
  lastTimestamp: at(second),
  involvedObject: { kind, name },
  ...more,
});
const vm: Vm = {
  metadata: { name: 'web' },
  spec: { template: { spec: { volumes: [{ name: 'root', dataVolume: { name: 'web-root' } }] } } },
  status: { conditions: [{ type: 'Ready', status: 'False', message: 'no guest', lastTransitionTime: at(1) }] },
};
const vmi = {
  metadata: { name: 'web' },
  spec: {},
  status: {
    conditions: [
      { type: 'LiveMigratable', status: 'True', lastTransitionTime: at(5) },
      { type: 'Untimed', status: 'True' },
    ],
    phaseTransitionTimestamps: [
      { phase: 'Pending', phaseTransitionTimestamp: at(2) },
      { phase: 'Running', phaseTransitionTimestamp: at(6) },
    ],
  },
} as unknown as Vmi;

it('events, conditions and phases are one time line, newest first', () => {
  const events = [event('Pod', 'virt-launcher-web-x', 3), event('Pod', 'virt-launcher-web-x', 4, { type: 'Warning' })];
  const migration = {
    metadata: { name: 'move' },
    status: { phaseTransitionTimestamps: [{ phase: 'Failed', phaseTransitionTimestamp: at(7) }] },
  };
  const lines = timelineOf({ vm, vmi, events, migrations: [migration] });
  expect(lines.map(({ type, title }) => [type, title])).toEqual([
    ['warning', 'Phase Failed'],
    ['phase', 'Phase Running'],
    ['condition', 'LiveMigratable became true'],
    ['warning', 'Pulled'],
    ['event', 'Pulled'],
    ['phase', 'Phase Pending'],
    ['warning', 'Ready became false'],
  ]);
  expect(lines.at(-1)?.text).toBe('no guest');
});

it('a machine that has never run has a time line', () => {
  expect(timelineOf({ vm: undefined, vmi: undefined, events: [], migrations: [] })).toEqual([]);
});

it.each([
  ['VirtualMachine', 'web', true],
  ['DataVolume', 'web-root', true],
  ['PersistentVolumeClaim', 'web-root', true],
  ['VirtualMachineSnapshot', 'monday', true],
  ['VirtualMachineSnapshot', 'tuesday', false],
  ['DataVolume', 'other', false],
])('an event of %s %s belongs to web: %s', (kind, name, isOfWeb) => {
  const belonging = new Set([...disksOf(vm, undefined), 'VirtualMachineSnapshot monday']);
  expect(isRelated(event(kind, name, 1), 'web', belonging)).toBe(isOfWeb);
});

it('migrations, snapshots and restores name their machine', () => {
  const metadata = { name: 'any' };
  expect(isOf({ metadata, spec: { vmiName: 'web' } }, 'web')).toBe(true);
  expect(isOf({ metadata, spec: { source: { kind: 'VirtualMachine', name: 'web' } } }, 'web')).toBe(true);
  expect(isOf({ metadata, spec: { target: { kind: 'VirtualMachine', name: 'db' } } }, 'web')).toBe(false);
});

it('only the newest few objects of a machine are asked for events', () => {
  const migrations = Array.from({ length: 20 }, (_, minute) => ({
    metadata: { name: `move-${minute}`, creationTimestamp: `2026-01-01T00:${10 + minute}:00Z` },
    spec: { vmiName: minute % 2 === 0 ? 'web' : 'db' },
  }));
  const names = lastOf(migrations, 'web').map(({ metadata }) => metadata.name);
  expect(names).toEqual([18, 16, 14, 12, 10, 8, 6, 4].map((minute) => `move-${minute}`));
});

it('a kind is told apart from the name behind it', () => {
  expect([...disksOf(vm, undefined)].map(nameIn)).toEqual(['web-root', 'web-root']);
});
