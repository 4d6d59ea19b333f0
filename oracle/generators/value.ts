import type { Random } from '../../faults/random.ts';
import type { Schema } from '../cases/steps.ts';

const STRINGS = ['x', 'y', 'z', 'a', '', 'long text', 'A.b/c-d'];
const KEYS = ['k', 'l', 'm', 'a.b/c'];
const ODD: readonly unknown[] = [
  null,
  0,
  1,
  -1,
  1.5,
  'x',
  '',
  true,
  [],
  {},
  ['x'],
  [null],
  [1, 1],
  { a: 1 },
  { name: 'x' },
  [{ name: 'x' }],
  [{}],
];

/** How often something is left out, and how often something is put where it does not belong. */
export interface Habits {
  readonly leavesOut: number;
  readonly errs: number;
}
const WELL_BEHAVED: Habits = { leavesOut: 0.35, errs: 0 };

/** A value of this schema's shape; rules about lengths and patterns are not minded. */
export function randomValue(random: Random, schema: Schema, habits: Habits = WELL_BEHAVED): unknown {
  if (random.next() < habits.errs) return random.pick(ODD);
  if (schema.nullable === true && random.next() < 0.2) return null;
  if (schema['x-kubernetes-int-or-string']) return random.pick([0, 1, 80, '80', '50%', 'x']);
  if (schema['x-kubernetes-embedded-resource']) {
    return {
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: random.pick(KEYS.slice(0, 3)) },
      data: randomAnything(random, 1),
    };
  }
  if (Array.isArray(schema.enum) && random.next() < 0.8) return random.pick(schema.enum);
  switch (schema.type) {
    case 'object':
      return randomMembers(random, schema, habits);
    case 'array':
      return randomList(random, schema, habits);
    case 'string':
      return schema.format === undefined ? random.pick(STRINGS) : random.pick(FORMATTED);
    case 'integer':
      return random.pick([0, 1, 2, 3, 80]);
    case 'number':
      return random.pick([0, 1, 1.5, -2.25]);
    case 'boolean':
      return random.pick([true, false]);
    default:
      return randomAnything(random, 0);
  }
}

const FORMATTED = ['2026-01-02T03:04:05Z', 'YWJj', '10.0.0.1', '1Gi', 'x'];

function randomMembers(random: Random, schema: Schema, habits: Habits): Record<string, unknown> {
  const { properties, additionalProperties, required } = schema as {
    properties?: Record<string, Schema>;
    additionalProperties?: Schema;
    required?: string[];
  };
  const members: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties ?? {})) {
    const isNeeded = required?.includes(name) && random.next() > habits.errs;
    if (isNeeded || random.next() > habits.leavesOut) members[name] = randomValue(random, property, habits);
  }
  if (additionalProperties) {
    for (const key of KEYS) {
      if (random.next() > 0.6) members[key] = randomValue(random, additionalProperties, habits);
    }
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (isOpen ? random.next() < 0.7 : random.next() < habits.errs / 2) members.other = randomAnything(random, 1);
  return members;
}

function randomList(random: Random, schema: Schema, habits: Habits): unknown[] {
  const items = Array.from({ length: random.between(0, 3) }, () => randomValue(random, schema.items as Schema, habits));
  const type = schema['x-kubernetes-list-type'];
  if ((type !== 'set' && type !== 'map') || random.next() < habits.errs) return items;
  const keys = schema['x-kubernetes-list-map-keys'] as string[] | undefined;
  const defaults = (schema.items as { properties?: Record<string, Schema> }).properties ?? {};
  const identity = (item: unknown): string =>
    keys
      ? JSON.stringify(keys.map((key) => (item as Record<string, unknown> | null)?.[key] ?? defaults[key]?.default))
      : JSON.stringify(item);
  return [...new Map(items.map((item) => [identity(item), item])).values()];
}

/** What a schema that keeps unknown fields lets through. */
export function randomAnything(random: Random, depth: number): unknown {
  if (depth >= 3) return random.pick(ODD.slice(0, 8));
  switch (random.between(0, 3)) {
    case 0:
      return Object.fromEntries(
        KEYS.slice(0, random.between(0, 3)).map((key) => [key, randomAnything(random, depth + 1)]),
      );
    case 1:
      return Array.from({ length: random.between(0, 2) }, () => randomAnything(random, depth + 1));
    default:
      return random.pick([1, 2.5, 'x', '', true, null]);
  }
}
