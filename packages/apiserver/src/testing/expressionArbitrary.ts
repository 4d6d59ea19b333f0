import fc from 'fast-check';
import { errors, issues } from '../cel/testing/expressionErrors.ts';
import { truths } from '../cel/testing/expressions.ts';

const KNOWN = [
  ...Object.values(truths).flat(),
  ...errors.map(([source]) => source),
  ...issues.map(([source]) => source),
];
const PIECES = [
  'self',
  '.',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '?',
  ':',
  '&&',
  '||',
  '!',
  '-',
  '==',
  "'",
  '"',
  '\\',
  'x',
  '1',
  '1u',
  '1.5',
  'null',
  'all(x,',
  'has(',
  '😀',
  '\n',
  '//',
  'r"',
  'b"',
];

/** Random texts that look like expressions more or less; many compile. */
export const expressionText = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join('')),
    mutated(),
    composed(),
  );

/** An expression that is known, with a piece of it replaced. */
const mutated = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...KNOWN),
      fc.nat(200),
      fc.nat(10),
      fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 3 })),
    )
    .map(([source, at, length, piece]) => source.slice(0, at) + piece + source.slice(at + length));

const LEAVES = [
  'self',
  'self.a',
  'self.l',
  'self.m',
  'x',
  '1',
  '-1',
  '0u',
  '2.5',
  "'a'",
  "b'a'",
  'null',
  'true',
  '[]',
  '{}',
  'lists.range(100000)',
  "'a,b'.split(',')",
  "duration('1h')",
  "timestamp('2024-01-01T00:00:00Z')",
  "quantity('1Gi')",
  "ip('::1')",
];

const OPERATIONS = [
  '(A + B)',
  '(A - B)',
  '(A * B)',
  '(A / B)',
  '(A % B)',
  '(A == B)',
  '(A < B)',
  '(A && B)',
  '(A || B)',
  '(A ? B : A)',
  '(A in B)',
  '[A, B]',
  '{A: B}',
  'A[B]',
  'A.b',
  'A.?b',
  'A[?B]',
  'has(A.b)',
  '!A',
  '-A',
  'A.map(x, [A, x])',
  'A.map(x, x + x)',
  'A.filter(x, B)',
  'A.all(x, B)',
  'A.exists(x, x == B)',
  'A.transformMap(k, v, v)',
  'A.sortBy(x, x)',
  'A.size()',
  'string(A)',
  'int(A)',
  'bytes(A)',
  'dyn(A)',
  'type(A)',
  'A.matches(B)',
  'A.findAll(B)',
  'A.replace(B, A)',
  'A.split(B)',
  'A.join(B)',
  "'%s %d'.format([A, B])",
  'A.flatten(100)',
  'A.sort()',
  'A.distinct()',
  'A.sum()',
  'sets.equivalent(A, B)',
  'optional.of(A).orValue(B)',
  'A.getHours(B)',
  'quantity(A)',
  'url(A)',
  'cidr(A)',
  'semver(A)',
  'isQuantity(A)',
  'A.startsWith(B)',
  'A.substring(B)',
];

/** Expressions made of operations on operations. */
const composed = (): fc.Arbitrary<string> =>
  fc
    .letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 6, depthSize: 'large' },
        fc.constantFrom(...LEAVES),
        fc
          .tuple(fc.constantFrom(...OPERATIONS), tie('expression'), tie('expression'))
          .map(([operation, a, b]) => operation.replaceAll('A', () => a).replaceAll('B', () => b)),
      ),
    }))
    .expression.filter((source) => source.length < 2000);
