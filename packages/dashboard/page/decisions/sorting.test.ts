import { expect, it } from 'vitest';
import { machinesFrom, vmRow } from './machine.ts';
import { orderText, parseOrder, sortMachines } from './sorting.ts';

const machines = machinesFrom(
  [
    ['web-10', '2026-01-01T00:00:00Z', '1Gi'],
    ['web-2', '2026-01-03T00:00:00Z', '512Mi'],
    ['db', '2026-01-02T00:00:00Z', '1Gi'],
  ].map(([name = '', creationTimestamp, guest]) =>
    vmRow({ metadata: { name, creationTimestamp }, spec: { template: { spec: { domain: { memory: { guest } } } } } }),
  ),
  [],
);

it.each([
  ['name', ['db', 'web-2', 'web-10']],
  ['-name', ['web-10', 'web-2', 'db']],
  ['age', ['web-2', 'db', 'web-10']],
  ['memory', ['web-2', 'db', 'web-10']],
  ['-memory', ['db', 'web-10', 'web-2']],
  ['node', ['db', 'web-2', 'web-10']],
  ['nonsense', ['db', 'web-2', 'web-10']],
])('in the order %s they are %s', (text, names) => {
  expect(sortMachines(machines, parseOrder(text)).map(({ name }) => name)).toEqual(names);
});

it('an order is kept in the address', () => {
  expect(orderText(parseOrder('-age'))).toBe('-age');
  expect(orderText(parseOrder(null))).toBe('name');
});
