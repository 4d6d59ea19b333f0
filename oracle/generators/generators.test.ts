import { expect, it } from 'vitest';
import { Random } from '../../faults/random.ts';
import type { Case } from '../case.ts';
import { reductions } from '../shrink.ts';
import { compileCase, randomExpressions, refusedIndexes } from './celCase.ts';
import { randomSchema } from './schema.ts';
import { randomApplyCase, randomCrdCase, randomObjectCase } from './sequence.ts';
import { spoiled } from './spoil.ts';

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);
const MAKERS: [string, (random: Random, name: string) => Case][] = [
  ['crd', randomCrdCase],
  ['objects', randomObjectCase],
  ['apply', randomApplyCase],
];

it.each(MAKERS)('a seed makes the same case of %s again', (_, make) => {
  for (const seed of SEEDS) expect(make(new Random(seed), 'x')).toEqual(make(new Random(seed), 'x'));
});

it.each(MAKERS)('cases of %s differ, begin with a CRD and are JSON', (_, make) => {
  const cases = SEEDS.map((seed) => make(new Random(seed), 'x'));
  expect(new Set(cases.map((each) => JSON.stringify(each))).size).toBe(SEEDS.length);
  for (const { steps } of cases) {
    expect(steps[0]?.path).toMatch(/customresourcedefinitions$/);
    expect(JSON.parse(JSON.stringify(steps))).toEqual(steps);
  }
});

it('applies come by several managers, with and without force, and other writes between them', () => {
  const steps = SEEDS.flatMap((seed) => randomApplyCase(new Random(seed), 'x').steps);
  const applies = steps.filter(({ contentType }) => contentType === 'application/apply-patch+yaml');
  expect(new Set(applies.map(({ query }) => query?.fieldManager)).size).toBe(3);
  expect(new Set(applies.map(({ query }) => query?.force))).toEqual(new Set([undefined, 'true']));
  expect(new Set(steps.map(({ method }) => method))).toEqual(new Set(['POST', 'PUT', 'PATCH', 'GET', 'DELETE']));
});

it('schemas have every list type and map type', () => {
  const text = JSON.stringify(SEEDS.map((seed) => randomSchema(new Random(seed))));
  for (const word of [
    '"set"',
    '"map"',
    '"atomic"',
    'int-or-string',
    'embedded-resource',
    'preserve-unknown',
    'nullable',
    'default',
    'additionalProperties',
  ]) {
    expect(text).toContain(word);
  }
});

it('a spoiled schema is another one, and the original stays', () => {
  for (const seed of SEEDS) {
    const random = new Random(seed);
    const schema = randomSchema(random);
    const before = structuredClone(schema);
    spoiled(random, schema);
    expect(schema).toEqual(before);
  }
});

it('expressions use every type of value and have no placeholders left', () => {
  const all = SEEDS.flatMap((seed) => randomExpressions(new Random(seed)));
  for (const word of [
    'quantity(',
    'cidr(',
    'url(',
    'semver(',
    'optional.',
    '.transformList(',
    '.format(',
    'sets.',
    'timestamp(',
  ]) {
    expect(
      all.some((expression) => expression.includes(word)),
      word,
    ).toBe(true);
  }
  for (const expression of all) expect(expression).not.toMatch(/\{(int|string|bool|ints|strings|map|optional)\}/);
});

it('refused expressions are known by their index', () => {
  const field = (index: number) => ({
    field: `spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[${index}].messageExpression`,
  });
  expect(refusedIndexes({ details: { causes: [field(3), field(0), { field: 'other' }] } })).toEqual(new Set([0, 3]));
  expect(refusedIndexes(undefined)).toEqual(new Set());
});

it('reductions leave out steps or a part of a body, never the step that differs', () => {
  const original = randomApplyCase(new Random(1), 'x');
  const at = original.steps.length - 1;
  const all = [...reductions(original, at)];
  expect(all.length).toBeGreaterThan(original.steps.length);
  const size = JSON.stringify(original).length;
  for (const smaller of all) {
    expect(smaller.steps.at(-1)?.path).toBe(original.steps[at]?.path);
    expect(JSON.stringify(smaller).length).toBeLessThan(size);
  }
});

it('an expression is sent as a rule that shows its value', () => {
  const [step] = compileCase('x', ['self.i + 1']).steps;
  expect(JSON.stringify(step?.body)).toContain(`'0: %s'.format([self.i + 1])`);
});
