import type { Random } from '../../faults/random.ts';
import type { Schema } from '../cases/steps.ts';
import { randomValue } from './value.ts';

const NAMES = ['a', 'b', 'c', 'name', 'value'] as const;
const MAX_DEPTH = 3;

/** A structural schema of a custom resource, with every list and map type that ownership knows. */
export function randomSchema(random: Random): Schema {
  return {
    type: 'object',
    properties: {
      spec: randomObject(random, 0),
      status: randomObject(random, 1),
    },
  };
}

type Maker = (random: Random, depth: number) => Schema;

const SCALARS: readonly Maker[] = [
  (random) => ({ type: 'string', ...randomStringRules(random) }),
  (random) => ({ type: 'integer', ...randomNumberRules(random) }),
  (random) => ({ type: 'number', ...randomNumberRules(random) }),
  () => ({ type: 'boolean' }),
];
const ITEM_SCALARS: readonly Schema[] = [
  { type: 'string' },
  { type: 'integer' },
  { type: 'boolean' },
  { type: 'number' },
];
const LEAVES: readonly Maker[] = [
  ...SCALARS,
  ...SCALARS,
  () => ({ 'x-kubernetes-int-or-string': true }),
  () => ({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
  () => ({ 'x-kubernetes-preserve-unknown-fields': true }),
  () => ({ type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true }),
];
const BRANCHES: readonly Maker[] = [
  randomObject,
  randomObject,
  (random, depth) => ({ type: 'object', additionalProperties: randomNode(random, depth + 1), ...mapType(random) }),
  (random, depth) => ({
    type: 'array',
    items: randomNode(random, depth + 1),
    ...(chance(random, 0.3) && { 'x-kubernetes-list-type': 'atomic' }),
  }),
  (random) => ({ type: 'array', items: random.pick(ITEM_SCALARS), 'x-kubernetes-list-type': 'set' }),
  randomKeyedList,
  randomKeyedList,
];

function randomNode(random: Random, depth: number): Schema {
  const makers = depth >= MAX_DEPTH ? LEAVES : [...LEAVES, ...BRANCHES, ...BRANCHES];
  const node = random.pick(makers)(random, depth);
  const isNullable = node.type !== undefined && chance(random, 0.1);
  const nullable = isNullable ? { ...node, nullable: true } : node;
  return chance(random, 0.12) ? { ...nullable, default: randomValue(random, nullable) } : nullable;
}

function randomObject(random: Random, depth: number): Schema {
  const names = NAMES.filter(() => chance(random, 0.6));
  const properties = Object.fromEntries(names.map((name) => [name, randomNode(random, depth + 1)]));
  const required = names.filter(() => chance(random, 0.1));
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(depth > 0 && mapType(random)),
    ...(chance(random, 0.08) && { 'x-kubernetes-preserve-unknown-fields': true }),
  };
}

/** A list whose items are known by one key or two, the second of which may have a default. */
function randomKeyedList(random: Random, depth: number): Schema {
  const item = randomObject(random, depth + 1);
  const second = chance(random, 0.3);
  const hasDefault = chance(random, 0.5);
  const properties = {
    ...(item.properties as Schema),
    name: { type: 'string' },
    ...(second && { value: { type: 'integer', ...(hasDefault && { default: 1 }) } }),
  };
  const required = ['name', ...(second && !hasDefault ? ['value'] : [])];
  return {
    type: 'array',
    items: { type: 'object', properties, required },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': second ? ['name', 'value'] : ['name'],
  };
}

const mapType = (random: Random): Schema =>
  chance(random, 0.15) ? { 'x-kubernetes-map-type': random.pick(['atomic', 'granular']) } : {};

const randomStringRules = (random: Random): Schema =>
  chance(random, 0.75)
    ? {}
    : random.pick<Schema>([
        { maxLength: 3 },
        { minLength: 1 },
        { enum: ['x', 'y', ''] },
        { pattern: '^[a-z]*$' },
        { format: 'date-time' },
        { format: 'byte' },
        { format: 'int-or-string' },
        { format: 'ipv4' },
        { format: 'quantity' },
      ]);

const randomNumberRules = (random: Random): Schema =>
  chance(random, 0.75)
    ? {}
    : random.pick<Schema>([{ minimum: 0 }, { maximum: 5 }, { multipleOf: 2 }, { enum: [1, 2] }]);

/** True in so many of all cases. */
export const chance = (random: Random, probability: number): boolean => random.next() < probability;
