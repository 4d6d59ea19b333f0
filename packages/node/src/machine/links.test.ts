import { expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { linksToSet } from './links.ts';

const card = (linkState: 'up' | 'down') => ({ mac: '02:00:00:00:00:01', linkState, queueCount: 1 });
const view = {
  machineType: 'q35',
  diskTargets: {},
  drives: {},
  isAgentConnected: false,
  cards: { a: card('up'), b: card('down') },
};
const machine = (a: string | undefined, b: string | undefined) =>
  vmiIn(
    'Running',
    {},
    {
      domain: {
        devices: {
          interfaces: [
            { name: 'a', ...(a && { state: a }) },
            { name: 'b', ...(b && { state: b }) },
          ],
        },
      },
    },
  );

it.each<[string | undefined, string | undefined, [string, string][]]>([
  [undefined, 'down', []],
  ['up', undefined, [['b', 'up']]],
  [
    'down',
    'up',
    [
      ['a', 'down'],
      ['b', 'up'],
    ],
  ],
  ['absent', 'absent', []],
])('a %s, b %s', (a, b, expected) => {
  expect([...linksToSet(machine(a, b), view)]).toEqual(expected);
});
