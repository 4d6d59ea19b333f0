import type { Case } from '../case.ts';
import { celCase, nodes, rules } from './celCases.ts';
import { TYPES } from './celSample.ts';
import { crd, crdOf, withSpec } from './steps.ts';

const string = { type: 'string', maxLength: 20 };

/** Where rules can be in a schema, and what they may cost. */
export const CEL_SCHEMAS: readonly Case[] = [
  celCase('the same rule twice', { ...crd(withSpec(TYPES, rules(['true', 'true']))), query: { dryRun: 'All' } }),
  nodes(
    'where rules can be',
    { type: 'string', ...rules(["self != 'x'"]) },
    { type: 'integer', ...rules(["self != 'x'"]) },
    { 'x-kubernetes-preserve-unknown-fields': true, ...rules(['self == 1']) },
    { 'x-kubernetes-int-or-string': true, ...rules(['self == 1']) },
    { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...rules(['true']) },
    { type: 'array', items: { type: 'string', ...rules(["self != 'x'"]) } },
    { type: 'array', maxItems: 3, items: { type: 'string', ...rules(['self == oldSelf']) } },
    {
      type: 'array',
      maxItems: 3,
      items: { type: 'string', ...rules(['self == oldSelf']) },
      'x-kubernetes-list-type': 'set',
    },
    {
      type: 'array',
      maxItems: 3,
      items: {
        type: 'object',
        required: ['k'],
        properties: { k: string, v: { type: 'string', ...rules(['self == oldSelf']) } },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
    { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', ...rules(['self == oldSelf']) } },
    {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: { type: 'string', ...rules(['self == oldSelf']) } },
    },
    { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: string }, ...rules(['self == oldSelf']) },
    { type: 'array', maxItems: 3, items: { type: 'string' }, ...rules(['self == oldSelf']) },
    { type: 'string', allOf: [rules(["self != 'x'"])] },
    { type: 'string', anyOf: [rules(["self != 'x'"])] },
    { type: 'string', not: rules(["self != 'x'"]) },
    {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      ...rules(["self.metadata.name == 'x'", "self.kind == 'y'", 'self.metadata.labels.size() == 0']),
    },
    { type: 'string', maxLength: 10, nullable: true, ...rules(["self == 'x'", 'self == null']) },
    {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'string', ...rules(['self.nope']) } } } },
    },
  ),
  nodes(
    'cost',
    { type: 'string', ...rules(["self.contains('x')"]) },
    { type: 'array', items: { type: 'string', ...rules(["self.contains('x')"]) } },
    { type: 'array', items: { type: 'array', items: { type: 'string', ...rules(["self.contains('x')"]) } } },
    { type: 'array', items: { type: 'string' }, ...rules(['self.all(x, self.all(y, x == y))']) },
    { type: 'array', items: { type: 'string' }, ...rules(['self.all(x, self.all(y, self.all(z, x == y && y == z)))']) },
    {
      type: 'array',
      maxItems: 100,
      items: { type: 'string', maxLength: 100 },
      ...rules(['self.all(x, self.all(y, self.all(z, x == y && y == z)))']),
    },
    {
      type: 'array',
      maxItems: 1000,
      items: { type: 'string', maxLength: 100 },
      ...rules(['self.all(x, self.all(y, x == y))']),
    },
    { type: 'array', maxItems: 1000, items: { type: 'integer' }, ...rules(['self.all(x, self.all(y, x == y))']) },
    { type: 'array', maxItems: 1500, items: { type: 'integer' }, ...rules(['self.all(x, self.all(y, x == y))']) },
    { type: 'array', maxItems: 2000, items: { type: 'integer' }, ...rules(['self.all(x, self.all(y, x == y))']) },
    { type: 'array', items: { type: 'integer' }, ...rules(['self.all(x, self.all(y, x == y))']) },
    {
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'string' } }, ...rules(["self.a.matches('^a.*b$')"]) },
    },
    {
      type: 'array',
      maxItems: 1000,
      items: { type: 'object', properties: { a: { type: 'string' } }, ...rules(["self.a.matches('^a.*b$')"]) },
    },
    {
      type: 'array',
      maxItems: 10,
      items: { type: 'object', properties: { a: { type: 'string' } }, ...rules(["self.a.matches('^a.*b$')"]) },
    },
    {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
      ...rules(["self.all(k, self[k].all(l, self[k][l] == 'x'))"]),
    },
    { type: 'string', ...rules([{ rule: 'true', messageExpression: 'self + self' }]) },
    {
      type: 'array',
      items: { type: 'string' },
      ...rules([{ rule: 'true', messageExpression: 'self.map(x, self.map(y, x + y).join()).join()' }]),
    },
    {
      type: 'array',
      items: { type: 'string' },
      ...rules(['self.isSorted()', "self.indexOf('x') > 0", 'sets.contains(self, self)']),
    },
    {
      type: 'array',
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: { a: { type: 'integer' } },
          ...rules(['self.a > 0', 'self.a < 5', 'self.a != 3']),
        },
      },
    },
    { type: 'string', enum: ['a', 'bb'], ...rules(["self.matches('x')"]) },
    { type: 'string', format: 'date-time', ...rules(["self < timestamp('2026-01-01T00:00:00Z')"]) },
    { type: 'array', items: { type: 'string', format: 'date' }, ...rules(['self.all(x, self.all(y, x < y))']) },
    { type: 'array', items: { type: 'string', format: 'uuid' }, ...rules(['self.all(x, self.all(y, x == y))']) },
    { type: 'array', items: { type: 'boolean' }, ...rules(['self.all(x, self.all(y, x == y))']) },
    { type: 'array', items: { 'x-kubernetes-int-or-string': true }, ...rules(['self.all(x, self.all(y, x == y))']) },
    {
      type: 'array',
      items: { 'x-kubernetes-int-or-string': true, maxLength: 10 },
      ...rules(['self.all(x, self.all(y, x == y))']),
    },
    {
      type: 'array',
      maxItems: 3,
      items: { type: 'string' },
      ...rules([
        "self.all(x, quantity(x).isGreaterThan(quantity('1')))",
        'self.all(x, isURL(x))',
        'self.all(x, ip(x).family() == 4)',
        "self.all(x, x.find('a') == '')",
        "self.all(x, x.split('').size() > 0)",
        "self.all(x, x.replace('a', 'b') == x)",
      ]),
    },
  ),
  celCase('cost of the whole schema', {
    ...crd(
      withSpec(
        Object.fromEntries(
          Array.from({ length: 15 }, (_, index) => [
            `f${index}`,
            {
              type: 'array',
              maxItems: 1500,
              items: { type: 'integer' },
              ...rules(['self.all(x, self.all(y, x == y))']),
            },
          ]),
        ),
      ),
    ),
    query: { dryRun: 'All' },
  }),
  celCase('rules of several versions', {
    ...crdOf([
      { name: 'v1', schema: withSpec({ x: { type: 'string', ...rules(['self.nope']) } }) },
      { name: 'v2', schema: withSpec({ x: { type: 'string', ...rules(['true', 'self.other']) } }) },
    ]),
    query: { dryRun: 'All' },
  }),
  celCase('the same rules in several versions', {
    ...crdOf(
      ['v1', 'v2'].map((name) => ({ name, schema: withSpec({ x: { type: 'string', ...rules(['self.nope']) } }) })),
    ),
    query: { dryRun: 'All' },
  }),
];
