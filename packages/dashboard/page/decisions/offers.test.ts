import { expect, it } from 'vitest';
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
