import { expect, it } from 'vitest';
import { orphansText } from './text.ts';

it('orphaned guests are listed with their nodes, and with what is held back', () => {
  const guests = [{ node: 'web-2', key: 'shop/web', uid: '1' }];
  expect(orphansText(guests, ['web-1'], 'the server was restored')).toBe(
    [
      'NODE   GUEST',
      'web-2  shop/web',
      'Not heard of: web-1. If such a host runs, name the address of the server there: vireo join HOST:PORT. If it is off: vireo node fence NODE',
      'No VM starts: the server was restored.',
    ].join('\n'),
  );
  expect(orphansText([], [], undefined)).toBe('No node reports guests that the server does not know.');
});
