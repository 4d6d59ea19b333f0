import { expect, test } from 'vitest';
import { problems } from '../testing.ts';
import { serviceAccountStrategy } from './serviceAccount.ts';

test('a pull secret is named', () => {
  expect(problems(serviceAccountStrategy, { metadata: { name: 'a' }, imagePullSecrets: [{ name: 'x' }, {}] })).toEqual([
    'imagePullSecrets[1].name: Required value',
  ]);
});
