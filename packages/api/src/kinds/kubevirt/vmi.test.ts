import { expect, it } from 'vitest';
import {
  hasEverRun,
  isActive,
  isFinal,
  isHandedOver,
  isLive,
  isMigrating,
  isPaused,
  isRunning,
  type Vmi,
} from './vmi.ts';

const IS = { isRunning, isFinal, isLive, isActive, isHandedOver, hasEverRun, isPaused };
const vmiWith = (status: object, metadata: object = {}) => ({ metadata, spec: {}, status }) as unknown as Vmi;
const ran = [{ phase: 'Running', phaseTransitionTimestamp: '2026-01-01T12:00:00Z' }];
const pausedIs = (status: string) => [{ type: 'Paused', status }];

it.each<[string, Vmi, (keyof typeof IS)[]]>([
  ['without a status', vmiWith({}), ['isLive', 'isActive']],
  ['that is being scheduled', vmiWith({ phase: 'Scheduling' }), ['isLive', 'isActive']],
  ['that has a node', vmiWith({ phase: 'Scheduled' }), ['isLive', 'isActive', 'isHandedOver']],
  ['that runs', vmiWith({ phase: 'Running' }), ['isRunning', 'isLive', 'isActive', 'isHandedOver', 'hasEverRun']],
  [
    'that is paused',
    vmiWith({ phase: 'Running', conditions: pausedIs('True') }),
    ['isRunning', 'isLive', 'isActive', 'isHandedOver', 'hasEverRun', 'isPaused'],
  ],
  ['that says that it is not paused', vmiWith({ conditions: pausedIs('False') }), ['isLive', 'isActive']],
  [
    'that is being deleted',
    vmiWith({ phase: 'Scheduled' }, { deletionTimestamp: '2026-01-01T12:00:00Z' }),
    ['isLive', 'isHandedOver'],
  ],
  ['that failed to start', vmiWith({ phase: 'Failed' }), ['isFinal', 'isHandedOver']],
  [
    'that ran and has ended',
    vmiWith({ phase: 'Succeeded', phaseTransitionTimestamps: ran }),
    ['isFinal', 'isHandedOver', 'hasEverRun'],
  ],
])('of a VMI %s the right predicates hold', (_, vmi, expected) => {
  const holding = Object.entries(IS).flatMap(([name, is]) => (is(vmi) ? [name] : []));
  expect(holding).toEqual(Object.keys(IS).filter((name) => expected.includes(name as keyof typeof IS)));
});

it.each([
  [undefined, false],
  [{}, false],
  [{ startTimestamp: '2026-01-01T00:00:00Z' }, true],
  [{ startTimestamp: '2026-01-01T00:00:00Z', failed: true }, false],
  [{ startTimestamp: '2026-01-01T00:00:00Z', completed: true }, false],
  [{ startTimestamp: '2026-01-01T00:00:00Z', endTimestamp: '2026-01-01T00:01:00Z' }, false],
])('a VMI with the migration state %j is migrating: %s', (migrationState, expected) => {
  expect(isMigrating(vmiWith({ migrationState }))).toBe(expected);
});

it('no VMI is neither live nor active, and has not ended', () => {
  expect([isLive, isActive, isFinal, isRunning, isPaused].map((is) => is(undefined))).toEqual(Array(5).fill(false));
});
