import type { Lease, Node } from '@vireo/api';
import { expect, it } from 'vitest';
import { LONGEST_GAP_MS, Silence, signOfLife } from './silence.ts';

const node = (heartbeat?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', ...(heartbeat && { annotations: { 'kubevirt.io/heartbeat': heartbeat } }) },
});
const lease = (renewTime: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {},
  spec: { renewTime },
});

it.each([
  ['a renewal', node('1'), lease('2')],
  ['a heartbeat', node('2'), lease('1')],
  ['a first lease', node('1'), undefined],
])('%s is a sign of life', (_, changed, leased) => {
  expect(signOfLife(changed, leased)).not.toBe(signOfLife(node('1'), lease('1')));
});

it.each<[what: string, looks: [sign: string, atMs: number][], silentMs: number]>([
  ['the first look', [['a', 1000]], 0],
  ['looks that show the same', [['a', 1000], ['a', 5000], ['a', 9000]], 8000], // biome-ignore format: one line a case
  ['a sign of life', [['a', 1000], ['b', 9000]], 0], // biome-ignore format: one line a case
  ['a sign that was seen before', [['a', 1000], ['b', 5000], ['a', 9000]], 0], // biome-ignore format: one line a case
  ['an old sign after a gap', [['a', 1000], ['a', 1001 + LONGEST_GAP_MS]], 0], // biome-ignore format: one line a case
  ['a clock that was set back', [['a', 9000], ['a', 1000]], 0], // biome-ignore format: one line a case
])('after %s', (_, looks, silentMs) => {
  const silence = new Silence(LONGEST_GAP_MS);
  expect(looks.map(([sign, atMs]) => silence.look('n', sign, atMs)).at(-1)).toBe(silentMs);
});

it('a silence that is not looked at all the time goes on where gaps do not count', () => {
  const silence = new Silence();
  silence.look('n', 'a', 0);
  expect(silence.look('n', 'a', 1_000_000)).toBe(1_000_000);
  silence.forget('n');
  expect(silence.look('n', 'a', 2_000_000)).toBe(0);
});
