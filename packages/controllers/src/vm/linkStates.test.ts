import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { expect, it } from 'vitest';
import { linkedCards, withoutLinkStates } from './linkStates.ts';

type Cards = NonNullable<Vmi['spec']['domain']['devices']['interfaces']>;
const spec = (...interfaces: Cards): Vmi['spec'] => ({ domain: { devices: { interfaces } } });

it.each<[string, Cards, Cards, Cards | undefined]>([
  ['nothing is said', [{ name: 'a' }], [{ name: 'a' }], undefined],
  [
    'pulled out',
    [{ name: 'a', model: 'e1000' }],
    [{ name: 'a', state: 'down' }],
    [{ name: 'a', model: 'e1000', state: 'down' }],
  ],
  ['put in', [{ name: 'a', state: 'down' }], [{ name: 'a', state: 'up' }], [{ name: 'a', state: 'up' }]],
  ['said no more', [{ name: 'a', state: 'down' }], [{ name: 'a' }], [{ name: 'a' }]],
  ['to be taken away', [{ name: 'a' }], [{ name: 'a', state: 'absent' }], undefined],
  ['a card that only the template has', [{ name: 'a' }], [{ name: 'b', state: 'down' }], undefined],
])('%s', (_, vmi, wanted, expected) => {
  expect(linkedCards(spec(...vmi), spec(...wanted))).toEqual(expected);
});

it('a link needs no restart, a card that goes does', () => {
  expect(withoutLinkStates(spec({ name: 'a', state: 'down' }, { name: 'b', state: 'absent' }))).toEqual(
    spec({ name: 'a' }, { name: 'b', state: 'absent' }),
  );
  const plain = spec({ name: 'a' });
  expect(withoutLinkStates(plain)).toBe(plain);
});
