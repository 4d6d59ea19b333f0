import type { Random } from '../../faults/random.ts';
import type { Case, Step } from '../case.ts';
import { apply, crdOf, create, edit, get, jsonPatch, mergePatch, put, remove, type Schema } from '../cases/steps.ts';
import { chance, randomSchema } from './schema.ts';
import { spoiled } from './spoil.ts';
import { type Habits, randomAnything, randomValue } from './value.ts';

const MANAGERS = ['one', 'two', 'three'];
const CAREFUL: Habits = { leavesOut: 0.5, errs: 0 };
const CARELESS: Habits = { leavesOut: 0.4, errs: 0.08 };

/** A CRD that is probably wrong. */
export function randomCrdCase(random: Random, name: string): Case {
  const schema = spoiled(random, randomSchema(random));
  return { name, area: 'crd', steps: [{ ...crdOf([{ name: 'v1', schema }]), query: { dryRun: 'All' } }] };
}

/** A life of an object: mostly applies by several managers, and other writes between them. */
export function randomApplyCase(random: Random, name: string): Case {
  const { schema, definition, versions } = randomKind(random);
  const steps = Array.from({ length: random.between(3, 8) }, (): Step => {
    const habits = chance(random, 0.15) ? CARELESS : CAREFUL;
    const version = random.pick(versions);
    return chance(random, 0.7)
      ? randomApply(random, schema, habits, version)
      : randomWrite(random, schema, habits, version);
  });
  return { name, area: 'apply', steps: [definition, ...steps, get()] };
}

/** A life of an object without applies. */
export function randomObjectCase(random: Random, name: string): Case {
  const { schema, definition, versions } = randomKind(random);
  const steps = Array.from({ length: random.between(2, 6) }, (): Step => {
    const habits = chance(random, 0.4) ? CARELESS : CAREFUL;
    return randomWrite(random, schema, habits, random.pick(versions));
  });
  const first = create(randomFields(random, schema, CAREFUL), {
    manager: random.pick(MANAGERS),
    ...validation(random),
  });
  return { name, area: 'objects', steps: [definition, first, ...steps, get()] };
}

function randomKind(random: Random): { schema: Schema; definition: Step; versions: string[] } {
  const schema = randomSchema(random);
  const subresources = chance(random, 0.4) ? { status: {} } : undefined;
  const versions = chance(random, 0.25) ? ['v1', 'v2'] : ['v1'];
  const definition = crdOf(
    versions.map((version) => ({ name: version, schema, ...(subresources && { subresources }) })),
  );
  return { schema, definition, versions };
}

function randomApply(random: Random, schema: Schema, habits: Habits, version: string): Step {
  return apply(random.pick(MANAGERS), randomFields(random, schema, habits), {
    version,
    ...(chance(random, 0.35) && { force: true }),
    ...(chance(random, 0.15) && { subresource: 'status' }),
    ...(chance(random, 0.05) && { query: { dryRun: 'All' } }),
  });
}

function randomWrite(random: Random, schema: Schema, habits: Habits, version: string): Step {
  const options = {
    manager: random.pick(MANAGERS),
    version,
    ...(chance(random, 0.15) && { subresource: 'status' }),
    ...validation(random),
  };
  const fields = randomFields(random, schema, habits);
  switch (random.between(0, 9)) {
    case 0:
      return create(fields, { manager: options.manager, version, ...validation(random) });
    case 1:
    case 2:
      return edit(withNulls(random, fields), options);
    case 3:
      return put({ metadata: { resourceVersion: '{resourceVersion}' }, ...fields }, options);
    case 4:
    case 5:
      return jsonPatch(randomOperations(random, fields), options);
    case 6:
      return chance(random, 0.3) ? remove() : get({ version });
    default:
      return mergePatch(withNulls(random, fields), options);
  }
}

const validation = (random: Random): { query?: Record<string, string> } =>
  chance(random, 0.3) ? { query: { fieldValidation: random.pick(['Strict', 'Warn', 'Ignore']) } } : {};

function randomFields(random: Random, schema: Schema, habits: Habits): Record<string, unknown> {
  const metadata = {
    ...(chance(random, 0.3) && { labels: { l: random.pick(['1', '2']) } }),
    ...(chance(random, 0.1) && { annotations: { n: random.pick(['1', '2']) } }),
    ...(chance(random, 0.05) && { finalizers: ['example.com/f'] }),
  };
  const { spec, status } = schema.properties as Record<string, Schema>;
  return {
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(chance(random, 0.9) && { spec: randomValue(random, spec as Schema, habits) }),
    ...(chance(random, 0.3) && { status: randomValue(random, status as Schema, habits) }),
    ...(chance(random, habits.errs) && { other: randomAnything(random, 1) }),
  };
}

/** A merge patch that removes something as well. */
function withNulls(random: Random, value: unknown): Record<string, unknown> {
  const visit = (part: unknown, depth: number): unknown => {
    if (depth > 1 && chance(random, 0.15)) return null;
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, visit(member, depth + 1)]));
  };
  return visit(value, 0) as Record<string, unknown>;
}

function randomOperations(random: Random, fields: Record<string, unknown>): unknown[] {
  const spec = (fields.spec ?? {}) as Record<string, unknown>;
  const names = Object.keys(spec);
  if (names.length === 0) return [{ op: 'test', path: '/kind', value: 'Widget' }];
  return Array.from({ length: random.between(1, 3) }, () => {
    const name = random.pick(names);
    const path = `/spec/${name}`;
    return random.pick<unknown>([
      { op: 'add', path, value: spec[name] },
      { op: 'add', path, value: spec[name] },
      { op: 'replace', path, value: spec[name] },
      { op: 'remove', path },
      { op: 'test', path, value: spec[name] },
      { op: 'copy', from: path, path: `/spec/${random.pick(names)}` },
      { op: 'move', from: path, path: `/spec/${random.pick(names)}` },
      { op: 'add', path: `${path}/-`, value: random.pick(['x', 1]) },
      { op: 'remove', path: `${path}/0` },
    ]);
  });
}
