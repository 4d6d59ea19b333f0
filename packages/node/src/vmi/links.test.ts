import { expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { linksToSet } from './links.ts';

const iface = (linkState: 'up' | 'down') => ({ mac: '02:00:00:00:00:01', linkState, queueCount: 1 });
const view = {
  machineType: 'q35',
  diskTargets: {},
  drives: {},
  isAgentConnected: false,
  interfaces: { a: iface('up'), b: iface('down') },
};
const local = (a: string | undefined, b: string | undefined) =>
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
  expect([...linksToSet(local(a, b), view)]).toEqual(expected);
});
