import type { Pod } from '@vireo/api';
import { expect, it } from 'vitest';
import { broughtAddress, chooseAddress } from './addresses.ts';

const pod = (nodeName: string, podIP?: string, phase = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'launcher' },
  spec: { nodeName, containers: [] },
  status: { phase, ...(podIP && { podIP }) },
});

it.each([
  ['it starts here', [pod('here')], undefined],
  ['it is here already', [pod('here', '10.244.0.7')], undefined],
  ['it comes from another node', [pod('here'), pod('there', '10.244.1.7')], '10.244.1.7'],
  ['it has ended there', [pod('here'), pod('there', '10.244.1.7', 'Failed')], undefined],
  ['it had the address of its host there', [pod('here'), pod('there', '192.0.2.12')], undefined],
])('a VMI brings along the address that it has on another node: %s', (_, pods, expected) => {
  expect(broughtAddress(pods, 'here', '10.244.0.0/16')).toBe(expected);
});

it('a node gives no address to two guests, also while one of them is elsewhere', () => {
  const taken = new Set<string>();
  for (let guest = 0; guest < 4; guest++) {
    const address = chooseAddress('10.244.0.0/29', `uid-${guest}`, (each) => taken.has(each));
    expect(address).toMatch(/^10\.244\.0\.[2-5]$/);
    expect(taken.has(address ?? '')).toBe(false);
    taken.add(address ?? '');
  }
  expect(chooseAddress('10.244.0.0/29', 'one-more', (each) => taken.has(each))).toBeUndefined();
});
