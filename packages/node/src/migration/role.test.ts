import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { expect, it } from 'vitest';
import { type HandedOver, hasMoved, writtenOutcome } from './role.ts';

const migration: HandedOver = { migrationUid: 'm', sourceNode: 'a', targetNode: 'b', targetPod: 'p' };
const vmi = (nodeName: string, migrationState: object): Vmi => ({ status: { nodeName, migrationState } }) as Vmi;

it.each([
  ['has come', vmi('b', { migrationUid: 'm', completed: true }), true],
  ['is on its way', vmi('a', { migrationUid: 'm' }), false],
  ['has stayed', vmi('a', { migrationUid: 'm', completed: true, failed: true }), false],
  ['has come by another migration', vmi('b', { migrationUid: 'n', completed: true }), false],
  ['is gone', undefined, false],
])('a guest that %s', (_, found, is) => {
  expect(hasMoved(found, migration)).toBe(is);
});

const moving = { migrationUid: 'm', sourceNode: 'a', targetNode: 'b', startTimestamp: '2026-01-01T00:00:00Z' };
const failureReason = 'node b is off';

it.each<[string, Vmi | undefined, object | undefined]>([
  ['moves: only the target knows', vmi('a', moving), undefined],
  ['has come', vmi('b', { ...moving, completed: true }), { outcome: 'running' }],
  [
    'has come before its target was given up',
    vmi('b', { ...moving, completed: true, failureReason }),
    { outcome: 'running' },
  ],
  [
    'moves to a node that was given up',
    vmi('a', { ...moving, failureReason }),
    { outcome: 'gone', reason: failureReason },
  ],
  ['moves by another migration by now', vmi('a', { ...moving, migrationUid: 'n', failureReason }), undefined],
  ['is gone: that says nothing about where its domain is', undefined, undefined],
])('by its VMI, a guest %s', (_, found, outcome) => {
  expect(writtenOutcome(found, migration)).toEqual(outcome);
});
