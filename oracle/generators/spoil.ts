import type { Random } from '../../faults/random.ts';
import type { Schema } from '../cases/steps.ts';

type Change = (node: Record<string, unknown>) => void;
const set =
  (more: Schema): Change =>
  (node) =>
    void Object.assign(node, more);
const drop =
  (...names: readonly string[]): Change =>
  (node) => {
    for (const name of names) delete node[name];
  };

/** What people get wrong in schemas. */
const MISTAKES: readonly Change[] = [
  drop('type'),
  drop('items'),
  drop('required'),
  drop('x-kubernetes-list-map-keys'),
  drop('x-kubernetes-list-type'),
  drop('properties'),
  ...['string', 'integer', 'object', 'array', 'boolean', 'nonsense', ''].map((type) => set({ type })),
  ...['set', 'map', 'atomic', 'bag'].map((type) => set({ 'x-kubernetes-list-type': type })),
  set({ 'x-kubernetes-list-map-keys': ['name'] }),
  set({ 'x-kubernetes-list-map-keys': ['nope'] }),
  set({ 'x-kubernetes-list-map-keys': ['name', 'name'] }),
  set({ 'x-kubernetes-map-type': 'atomic' }),
  set({ 'x-kubernetes-map-type': 'loose' }),
  set({ 'x-kubernetes-int-or-string': true }),
  set({ 'x-kubernetes-preserve-unknown-fields': true }),
  set({ 'x-kubernetes-preserve-unknown-fields': false }),
  set({ 'x-kubernetes-embedded-resource': true }),
  set({ properties: { a: { type: 'string' } } }),
  set({ properties: { a: {} } }),
  set({ additionalProperties: { type: 'string' } }),
  set({ additionalProperties: true }),
  set({ additionalProperties: false }),
  set({ items: { type: 'string' } }),
  set({ items: { type: 'string', nullable: true } }),
  set({ items: {} }),
  set({ nullable: true }),
  set({ required: ['missing'] }),
  set({ uniqueItems: true }),
  set({ default: 1 }),
  set({ default: 'x' }),
  set({ default: null }),
  set({ default: {} }),
  set({ default: [] }),
  set({ default: { name: 1, unknown: 2 } }),
  set({ default: [{ name: 'x' }, { name: 'x' }] }),
  set({ pattern: '(' }),
  set({ pattern: '^a', minLength: 2, maxLength: 1 }),
  set({ enum: [] }),
  set({ enum: ['x', 1] }),
  set({ format: 'nonsense' }),
  set({ minimum: 5, maximum: 3 }),
  set({ multipleOf: 0 }),
  set({ maxItems: -1, maxProperties: -1, maxLength: -1 }),
  set({ allOf: [{ type: 'string' }] }),
  set({ allOf: [{ required: ['name'] }, { properties: { name: { minLength: 1 } } }] }),
  set({ anyOf: [{ properties: { nope: { minLength: 1 } } }] }),
  set({ anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  set({ oneOf: [{ default: 1 }] }),
  set({ not: { nullable: true } }),
  set({ not: { enum: ['x', 1] } }),
  set({ $ref: '#/definitions/x' }),
  set({ definitions: { x: { type: 'string' } } }),
  set({ dependencies: { a: ['b'] } }),
  set({ patternProperties: { a: { type: 'string' } } }),
];

/** The schema with one or two mistakes somewhere in it. */
export function spoiled(random: Random, schema: Schema): Schema {
  const copy = structuredClone(schema) as Record<string, unknown>;
  const nodes = [...nodesOf(copy)];
  for (let mistakes = random.between(1, 2); mistakes > 0; mistakes--) random.pick(MISTAKES)(random.pick(nodes));
  return copy;
}

/** The schema and every schema below it. */
function* nodesOf(node: Record<string, unknown>): Generator<Record<string, unknown>> {
  yield node;
  const { properties, additionalProperties, items } = node as Record<string, Record<string, unknown> | undefined>;
  for (const below of [...Object.values(properties ?? {}), additionalProperties, items]) {
    if (typeof below === 'object' && below !== null) yield* nodesOf(below as Record<string, unknown>);
  }
}
