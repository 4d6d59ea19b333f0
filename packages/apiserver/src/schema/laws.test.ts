import type { Property, Schema } from '@vireo/api';
import { deepClone, type JsonObject } from '@vireo/api/json.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applySchemaDefaults } from './defaulting.ts';
import { pruneUnknownFields } from './pruning.ts';
import { validateSchema } from './validate.ts';

const key = fc.constantFrom('a', 'b', 'c', '__proto__');

/** A schema, and a default that fits it. */
type Sample = readonly [Schema, unknown];

const { sample } = fc.letrec<{ sample: Sample; object: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Sample>(
      [{ type: 'string' }, 'x'],
      [{ type: 'string', nullable: true }, 'x'],
      [{ type: 'integer', minimum: 0 }, 1],
      [{ type: 'boolean' }, true],
      [{ intOrString: true }, 1],
      [{ type: 'object', preserveUnknownFields: true }, { anything: [1] }],
    ),
    tie('sample').map(([items]): Sample => [{ type: 'array', items }, []]),
    tie('sample').map(([values]): Sample => [{ type: 'object', values }, {}]),
    tie('object'),
  ),
  object: fc.dictionary(key, fc.tuple(tie('sample'), fc.boolean()), { noNullPrototype: true }).map((fields): Sample => {
    const properties = Object.entries(fields).map(([name, [[schema, fallback], hasDefault]]): [string, Property] => [
      name,
      { schema, required: false, ...(hasDefault && { default: fallback }) },
    ]);
    return [{ type: 'object', properties: Object.fromEntries(properties) }, {}];
  }),
}));
const schema = fc.dictionary(key, sample, { noNullPrototype: true }).map(
  (fields): Schema => ({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, [inner, fallback]]) => [
        name,
        { schema: inner, required: false, default: fallback },
      ]),
    ),
  }),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('x', 1, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { noNullPrototype: true }),
  ),
})).value;
const object = fc.dictionary(key, value, { noNullPrototype: true }) as fc.Arbitrary<JsonObject>;

describe('over random schemas and objects', () => {
  it('defaulting twice is defaulting once', () => {
    fc.assert(
      fc.property(schema, object, (of, draft) => {
        applySchemaDefaults(draft, of);
        const once = deepClone(draft);
        applySchemaDefaults(draft, of);
        expect(draft).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });

  it('pruning twice is pruning once, and drops nothing that the schema asks for', () => {
    fc.assert(
      fc.property(schema, object, (of, draft) => {
        const errors = validateSchema(draft, of);
        const dropped = pruneUnknownFields(draft, of);
        expect(new Set(dropped).size).toBe(dropped.length);
        expect(pruneUnknownFields(draft, of)).toEqual([]);
        expect(validateSchema(draft, of)).toEqual(errors);
      }),
      { numRuns: 300 },
    );
  });

  it('defaults alone make a valid object that nothing is pruned from', () => {
    fc.assert(
      fc.property(schema, (of) => {
        const draft = {};
        applySchemaDefaults(draft, of);
        expect(validateSchema(draft, of)).toEqual([]);
        expect(pruneUnknownFields(draft, of)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
