import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { expect, it } from 'vitest';
import { type HandedOver, hasMoved } from './role.ts';

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
