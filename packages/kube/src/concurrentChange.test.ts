import { conflict, notFound } from '@vireo/api';
import { PersistentVolumeClaim } from '@vireo/api/kinds/core/persistentVolumeClaim.ts';
import { expect, it } from 'vitest';
import { isGone } from './concurrentChange.ts';

const claims = { group: '', resource: 'persistentvolumeclaims' };

it.each([
  ['the object itself', notFound(claims, 'fedora'), true],
  ['another of its kind', notFound(claims, 'debian'), false],
  ['a Secret of the same name', notFound({ group: '', resource: 'secrets' }, 'fedora'), false],
  ['nothing', conflict(claims, 'fedora', 'changed'), false],
])('whether an object has gone where what is missing is %s', (_, error, expected) => {
  expect(isGone(error, PersistentVolumeClaim, { metadata: { name: 'fedora' } })).toBe(expected);
});
