import { expect, it } from 'vitest';
import { instanceAlone, type Machine, vmiRow } from '../machine.ts';
import { consolesAddress, consolesOffer, leftOutText } from './offer.ts';

const machine = (name: string, phase = 'Running'): Machine =>
  instanceAlone(vmiRow({ metadata: { name, namespace: 'a' }, spec: {}, status: { phase } }));
const several = (count: number): Machine[] => Array.from({ length: count }, (_, index) => machine(`vm-${index}`));
const yes = () => true;

it.each<[string, Machine[], string | undefined]>([
  ['none', [], 'Select a machine first.'],
  ['one that runs', [machine('web')], undefined],
  ['one that starts', [machine('web', 'Pending')], 'It is not running.'],
  ['two that start', [machine('a', 'Pending'), machine('b', 'Pending')], 'None of them is running.'],
  ['one of two', [machine('a', 'Pending'), machine('b')], undefined],
  ['too many', several(17), 'At most 16 consoles can be open.'],
])('the consoles of %s are offered, or it is said why not', (_, machines, reason) => {
  expect(consolesOffer(machines, yes)).toEqual(
    reason === undefined ? { isOffered: true } : { isOffered: false, reason },
  );
});

it('who may not connect is told', () => {
  expect(consolesOffer([machine('web')], () => false).reason).toMatch(
    /^You are not allowed to get virtualmachineinstances\/console/,
  );
});

it('one that is forbidden does not keep the others from being opened, and is named', () => {
  const there = { ...machine('there'), key: 'b/there', namespace: 'b' };
  const may = (_: unknown, namespace: string) => namespace === 'a';
  expect(consolesOffer([there, machine('web')], may)).toEqual({ isOffered: true });
  expect(consolesAddress([there, machine('web')], may)).toBe('/machines/a/web/console');
  expect(leftOutText([there, machine('web')], may)).toBe('You are not allowed to open b/there.');
  expect(leftOutText([machine('web')], may)).toBeUndefined();
  expect(leftOutText(several(7), () => false)).toMatch(/a\/vm-4 and 2 more\.$/);
});

it('one is on its own page, and several are side by side', () => {
  expect(consolesAddress([machine('web'), machine('starting', 'Pending')], yes)).toBe('/machines/a/web/console');
  expect(consolesAddress(several(2), yes)).toBe(
    '/consoles?open=serial/a/vm-0,serial/a/vm-1&shown=serial/a/vm-0,serial/a/vm-1',
  );
});
