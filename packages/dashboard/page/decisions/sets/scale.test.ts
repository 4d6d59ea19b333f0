import { expect, it } from 'vitest';
import { ownerOf, parseReplicas, progressText, scaleObstacle } from './scale.ts';
import { POOLS, REPLICA_SETS, setRow } from './set.ts';

const set = (desired: number, current: number, ready: number, more: object = {}) =>
  setRow({
    metadata: { name: 'web' },
    spec: { replicas: desired, ...more },
    status: { replicas: current, readyReplicas: ready },
  });
const autoscaler = {
  metadata: { name: 'by-load' },
  spec: { scaleTargetRef: { kind: REPLICA_SETS.kind, name: 'web' }, minReplicas: 1, maxReplicas: 5 },
  status: { conditions: [{ type: 'ScalingActive', status: 'False', message: 'no metrics' }] },
};

it('an autoscaler owns the number of its target, and of no other kind', () => {
  const owner = ownerOf(REPLICA_SETS, 'web', [autoscaler]);
  expect(owner).toEqual({ name: 'by-load', min: 1, max: 5, problem: 'no metrics' });
  expect(scaleObstacle(set(1, 1, 1), owner)).toContain('by-load sets the number, between 1 and 5');
  expect(ownerOf(POOLS, 'web', [autoscaler])).toBeUndefined();
  expect(scaleObstacle(set(1, 1, 1), undefined)).toBeUndefined();
});

it.each([
  [set(2, 2, 2), 0, '2 of 2 ready'],
  [set(3, 2, 1), 0, '1 of 3 ready, 1 starting, 1 to create'],
  [set(1, 2, 2), 1, '2 of 1 ready, 1 too many, 1 shutting down'],
  [set(2, 1, 1, { paused: true }), 0, '1 of 2 ready, 1 to create when the set is resumed'],
])('%j', (row, going, text) => {
  expect(progressText(row, going)).toBe(text);
});

it.each([
  ['0', 0],
  [' 12 ', 12],
  ['-1', undefined],
  ['1.5', undefined],
  ['', undefined],
])('"%s" is %s replicas', (text, replicas) => {
  expect(parseReplicas(text)).toBe(replicas);
});
