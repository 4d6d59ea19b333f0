import { expect, it } from 'vitest';
import { guestRow } from './guest.ts';
import { leavingText, obstaclesOf, reasonIn } from './maintenance.ts';

const guest = (name: string, reason?: string, message?: string) =>
  guestRow({
    metadata: { name, namespace: 'shop' },
    spec: {},
    status: {
      phase: 'Running',
      conditions: [{ type: 'LiveMigratable', status: 'False', ...(reason && { reason }), ...(message && { message }) }],
    },
  });

it('what is in the way is told in the words of the conditions, or in ours, or as the server says it', () => {
  const groups = [
    { message: 'DisksNotLiveMigratable', vms: ['shop/a', 'shop/b', 'shop/gone'] },
    { message: 'NodeSchedulingRequirementsNotMet', vms: ['shop/a'] },
    { condition: 'Odd' },
  ];
  const guests = [guest('a', 'DisksNotLiveMigratable', 'claim x is local'), guest('b', 'Other', 'something else')];
  expect(obstaclesOf(groups, guests)).toEqual([
    { machines: ['shop/a'], why: 'claim x is local' },
    { machines: ['shop/b', 'shop/gone'], why: 'DisksNotLiveMigratable' },
    { machines: ['shop/a'], why: 'No other node can run it.' },
  ]);
  expect(obstaclesOf([{ vms: ['shop/c'] }], [])).toEqual([{ machines: ['shop/c'], why: 'It cannot migrate.' }]);
});

it.each([
  [[], 'All machines have left.'],
  [[{ name: 'web', move: undefined }], 'Waiting for 1 machine to leave: web.'],
  [
    [
      { name: 'web', move: { to: 'n2', percent: 43, remainingBytes: undefined } },
      { name: 'db', move: undefined },
    ],
    'Waiting for 2 machines to leave: web (migrating to n2 · 43 %), db.',
  ],
])('%j: %s', (guests, text) => {
  expect(leavingText(guests)).toBe(text);
});

it.each([
  [
    'Operation cannot be fulfilled on nodes "n1": it is the only control-plane node',
    'It is the only control-plane node.',
  ],
  ['No.', 'No.'],
])('of "%s" the reason is "%s"', (message, reason) => {
  expect(reasonIn(message)).toBe(reason);
});
