import { expect, it } from 'vitest';
import { createOffer } from './create/offer.ts';
import { offerOf } from './offers.ts';

const cordon = { verb: 'patch', group: '', resource: 'nodes' };
const scale = { verb: 'update', group: 'kubevirt.io', resource: 'sets', subresource: 'scale' };

it('what is forbidden is told before what makes no sense now', () => {
  expect(offerOf(() => false, cordon, '', 'It is cordoned.').reason).toBe('You are not allowed to patch nodes.');
  expect(offerOf(() => false, scale, 'shop').reason).toBe(
    'You are not allowed to update sets/scale.kubevirt.io in namespace shop.',
  );
  expect(offerOf(() => true, cordon, '', 'It is cordoned.')).toEqual({ isOffered: false, reason: 'It is cordoned.' });
  expect(offerOf(() => undefined, cordon, '')).toEqual({ isOffered: true });
});

it.each<[string, (namespace: string) => boolean | undefined, string | undefined, string | undefined]>([
  ['may everywhere', () => true, undefined, undefined],
  ['is not known yet', () => undefined, undefined, undefined],
  ['may not everywhere', () => false, undefined, 'You are not allowed to do that in all namespaces: choose one'],
  ['may in the chosen namespace', (namespace) => namespace === 'shop', 'shop', undefined],
  [
    'may not in the chosen namespace',
    () => false,
    'shop',
    'You are not allowed to create virtualmachines.kubevirt.io in',
  ],
])('Create, for a user who %s', (_, isAllowed, namespace, reason) => {
  const { isOffered, reason: told = '' } = createOffer((_permission, where) => isAllowed(where), namespace);
  expect(isOffered).toBe(reason === undefined);
  expect(told).toContain(reason ?? '');
});
