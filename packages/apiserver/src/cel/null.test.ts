import { expect, it } from 'vitest';
import { DYN, fromJson, kubernetes } from './index.ts';

it.each([
  'x == null',
  'y.a == null',
  'y.l[0] == null',
  "{'a': null}.a == null",
  'has(y.a)',
  'optional.of(y.a).value() == null',
  'y.m.all(k, y.m[k] == null)',
])('a null is a value: %s', (expression) => {
  const { program } = kubernetes.extend({ variables: { x: DYN, y: DYN } }).compile(expression);
  const y = fromJson({ a: null, l: [null], m: { k: null } });
  expect(program?.evaluate({ x: null, y }).value).toBe(true);
});
