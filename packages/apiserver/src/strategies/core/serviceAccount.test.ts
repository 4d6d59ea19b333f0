import { expect, test } from 'vitest';
import { problems } from '../../testing/strategies.ts';
import { serviceAccountStrategy } from './serviceAccount.ts';

test('a pull secret is named', () => {
  expect(problems(serviceAccountStrategy, { metadata: { name: 'a' }, imagePullSecrets: [{ name: 'x' }, {}] })).toEqual([
    'imagePullSecrets[1].name: Required value',
  ]);
});
