import type { NetworkBackend } from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { cardPlan, hasChanges, isJoined, NO_CARDS } from './cards.ts';

type Card = { readonly name: string; readonly state?: string };

const plan = (
  wanted: readonly Card[],
  domain: readonly string[],
  { told = domain, connected = { lab: 'net' } }: { told?: readonly string[]; connected?: Record<string, string> } = {},
) => {
  const vmi = vmiIn(
    'Running',
    {},
    {
      domain: { devices: { interfaces: [...wanted] } },
      networks: wanted.map(({ name }) =>
        name === 'default' ? { name, pod: {} } : { name, multus: { networkName: 'net' } },
      ),
    },
  );
  const card = { mac: '02:00:00:00:00:01', linkState: 'up', queueCount: 1 } as const;
  const view = {
    machineType: 'q35',
    diskTargets: {},
    drives: {},
    isAgentConnected: false,
    interfaces: Object.fromEntries(domain.map((name) => [name, card])),
  };
  const status = { ...vmi.status, interfaces: told.map((name) => ({ name })) };
  return cardPlan({ ...vmi, status }, view, new Map(Object.entries(connected)));
};

describe('the cards of a guest', () => {
  const pod = { name: 'default' };
  const lab = { name: 'lab' };
  const both = ['default', 'lab'];

  it.each([
    ['are those of its VMI', plan([pod, lab], both), {}],
    ['one is missing', plan([pod, lab], ['default']), { attach: ['lab'] }],
    ['one is missing since it should have none', plan([pod, { ...lab, state: 'absent' }], ['default']), {}],
    ['one has to go', plan([pod, { ...lab, state: 'absent' }], both), { detach: ['lab'] }],
    ['one is not in the spec', plan([pod], both), { detach: ['lab'] }],
    ['one has gone', plan([pod], ['default'], { told: both }), { release: ['lab'] }],
    ['one is on another network', plan([lab], ['lab'], { connected: { lab: 'other' } }), { check: ['lab'] }],
    ['the agent was restarted', plan([pod, lab], both, { connected: {} }), { check: ['lab'] }],
    ['the pod network is never plugged in', plan([pod], []), {}],
  ])('%s', (_, actual, expected) => {
    expect(actual).toEqual({ ...NO_CARDS, ...expected });
    expect(hasChanges(actual)).toBe(Object.keys(expected).length > 0);
  });
});

it.each<[boolean, NetworkBackend]>([
  [true, { kind: 'bridge', bridge: 'br1' }],
  [false, { kind: 'bridge', bridge: 'br2' }],
  [true, { kind: 'tap', device: 'vnet0' }],
  [false, { kind: 'tap', device: 'vt1' }],
])('is joined: %s, to %j', (expected, backend) => {
  const card = { mac: '', linkState: 'up', queueCount: 1, bridge: 'br1', device: 'vnet0' } as const;
  expect(isJoined(card, backend)).toBe(expected);
});
