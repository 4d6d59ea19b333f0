import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { describe, expect, it } from 'vitest';
import { newAllowance } from '../../rules/allowance.ts';
import { schemaErrors } from './schema.ts';

const texts = (schema: JSONSchemaProps, hasStatus = false) =>
  schemaErrors(schema, 's', { hasStatus, tolerance: {}, allowance: newAllowance() }).map(
    ({ field, text }) => `${field.replace('s.openAPIV3Schema', 's')}: ${text.replaceAll('s.openAPIV3Schema', 's')}`,
  );
const spec = (x: JSONSchemaProps) => texts({ type: 'object', properties: { x } });
const at = 's.properties[x]';

describe('schemaErrors', () => {
  it('takes a schema as people write them', () => {
    const schema: JSONSchemaProps = {
      type: 'object',
      required: ['spec'],
      properties: {
        metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 63 } } },
        spec: {
          type: 'object',
          properties: {
            port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
            mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            labels: { type: 'object', additionalProperties: { type: 'string' } },
            list: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
              items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
            },
          },
          oneOf: [{ required: ['port'] }, { properties: { mode: { enum: ['b'] } } }],
        },
      },
    };
    expect(texts(schema)).toEqual([]);
  });

  it('takes null for a word that is not there, as Kubernetes does', () => {
    const schema = JSON.parse('{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":null}');
    expect(texts(schema)).toEqual([]);
  });

  const text: JSONSchemaProps = { type: 'string' };
  const listOf = (items: JSONSchemaProps, listType: string, ...keys: string[]): JSONSchemaProps => ({
    type: 'array',
    items,
    'x-kubernetes-list-type': listType,
    ...(keys.length > 0 && { 'x-kubernetes-list-map-keys': keys }),
  });
  const keyed = (k: JSONSchemaProps, more: JSONSchemaProps = {}): JSONSchemaProps => ({
    type: 'object',
    properties: { k },
    required: ['k'],
    ...more,
  });
  const embedded = (more: JSONSchemaProps = {}): JSONSchemaProps => ({
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
    ...more,
  });
  const intOrString = (more: JSONSchemaProps): JSONSchemaProps => ({ 'x-kubernetes-int-or-string': true, ...more });
  const bothTypes = { anyOf: [{ type: 'integer' }, { type: 'string' }] };

  it.each<[string, JSONSchemaProps]>([
    ['a typed int or string', intOrString({ type: 'integer' })],
    ['the types of an int or string', intOrString(bothTypes)],
    ['the types of an int or string, first of all', intOrString({ allOf: [bothTypes, { pattern: '^a' }] })],
    ['the two types of what is none', { type: 'string', ...bothTypes }],
    ['additionalProperties: false', { type: 'object', additionalProperties: false }],
    ['properties and additionalProperties: true', keyed(text, { additionalProperties: true })],
    ['a combination of fields that are not there', { type: 'object', anyOf: [{ properties: { a: { minimum: 1 } } }] }],
    ['no value of additionalProperties in a combination', { type: 'object', not: { additionalProperties: false } }],
    ['an int or string with a default that is neither', intOrString({ default: true })],
    ['a default that is no set', { ...listOf(text, 'set'), default: ['a', 'a'] }],
    ['defaults of the values of maps', { type: 'object', additionalProperties: { type: 'integer', default: 'x' } }],
    ['a set of atomic objects', listOf({ type: 'object', 'x-kubernetes-map-type': 'atomic' }, 'set')],
    ['an optional key with a default', listOf(keyed({ ...text, default: 'x' }, { required: [] }), 'map', 'k')],
  ])('takes %s', (_, schema) => {
    expect(spec(schema)).toEqual([]);
  });

  it.each<[string, JSONSchemaProps, ...string[]]>([
    ['no type', {}, '.type: Required value: must not be empty for specified object fields'],
    [
      'no type of items',
      { type: 'array', items: {} },
      '.items.type: Required value: must not be empty for specified array items',
    ],
    [
      'no type of values',
      { type: 'object', additionalProperties: {} },
      '.additionalProperties.type: Required value: must not be empty for specified object fields',
    ],
    ['no items', { type: 'array' }, '.items: Required value: must be specified'],
    [
      'an unknown type',
      { type: 'text' },
      '.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
    [
      'the type of null',
      { type: 'null' },
      '.type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"',
      '.type: Forbidden: type cannot be set to null, use nullable as an alternative',
    ],
    ['$ref, and says nothing of the structure', { $ref: '#/x' }, '.$ref: Forbidden: $ref is not supported'],
    [
      'definitions',
      { type: 'object', definitions: { a: text } },
      '.definitions: Forbidden: definitions is not supported',
    ],
    ['an id', { type: 'string', id: 'x' }, '.id: Forbidden: id is not supported'],
    [
      'uniqueItems',
      { type: 'array', items: text, uniqueItems: true },
      '.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
    [
      'both kinds of properties',
      keyed(text, { additionalProperties: text }),
      '.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
    [
      'properties and additionalProperties: false',
      keyed(text, { additionalProperties: false }),
      '.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
    ],
    [
      'items by position',
      { type: 'array', items: [text] },
      '.items: Forbidden: items must be a schema object and not an array',
    ],
    [
      'a bad pattern',
      { type: 'string', pattern: '(' },
      `.pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
    ],
    ['a type in anyOf', { type: 'string', anyOf: [text] }, '.anyOf[0].type: Forbidden: must be empty to be structural'],
    [
      'the types of an int or string in another order',
      intOrString({ anyOf: [{ type: 'string' }, { type: 'integer' }] }),
      '.anyOf[0].type: Forbidden: must be empty to be structural',
      '.anyOf[1].type: Forbidden: must be empty to be structural',
    ],
    [
      'the types of an int or string behind something else',
      intOrString({ allOf: [{ pattern: '^a' }, bothTypes] }),
      '.allOf[1].anyOf[0].type: Forbidden: must be empty to be structural',
      '.allOf[1].anyOf[1].type: Forbidden: must be empty to be structural',
    ],
    [
      'a default in allOf',
      { type: 'string', allOf: [{ default: 'x' }] },
      '.allOf[0].default: Forbidden: must be undefined to be structural',
    ],
    [
      'a list type in allOf',
      { type: 'array', items: text, allOf: [{ 'x-kubernetes-list-type': 'set' }] },
      '.allOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural',
      '.allOf[0].type: Required value: must be array if x-kubernetes-list-type is specified',
    ],
    [
      'nullable in not',
      { type: 'string', not: { nullable: true } },
      '.not.nullable: Forbidden: must be false to be structural',
    ],
    [
      'an int or string that is an embedded object',
      embedded({ 'x-kubernetes-int-or-string': true }),
      '.x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      '.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
    ],
    [
      'an embedded text',
      { type: 'string', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      '.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true',
    ],
    [
      'values of an embedded object',
      embedded({ additionalProperties: text }),
      '.additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set',
    ],
    [
      'a kind that is a number',
      embedded({ properties: { kind: { type: 'integer' } } }),
      '.properties[kind].type: Invalid value: "integer": must be string',
    ],
    [
      'an embedded object in metadata',
      embedded({ properties: { metadata: embedded() } }),
      '.properties[metadata].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta',
    ],
    [
      'preserve: false',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      '.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined',
    ],
    [
      'a map type of something else',
      { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'loose' },
      '.type: Required value: must be object if x-kubernetes-map-type is specified',
      '.x-kubernetes-map-type: Unsupported value: "loose": supported values: "atomic", "granular"',
    ],
    [
      'a list type of something else',
      { type: 'string', 'x-kubernetes-list-type': 'bag' },
      '.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
      '.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"',
    ],
    [
      'a set of objects with parts',
      listOf({ type: 'object' }, 'set'),
      '.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
    [
      'a set of sets',
      listOf(listOf(text, 'set'), 'set'),
      '.items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
    [
      'a set with nulls',
      listOf({ ...text, nullable: true }, 'set'),
      '.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set',
    ],
    [
      'keys without a list type',
      { type: 'array', items: text, 'x-kubernetes-list-map-keys': ['k'] },
      '.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty',
    ],
    [
      'keys of a set',
      listOf(text, 'set', 'k'),
      '.x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty',
    ],
    [
      'a map list without keys',
      listOf({ type: 'object' }, 'map'),
      '.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
    [
      'a map list of nothing',
      { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
      '.items: Required value: must be specified',
      '.items: Required value: must have a schema if x-kubernetes-list-type is map',
    ],
    [
      'a map list of texts',
      listOf(text, 'map', 'k'),
      `.items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`,
    ],
    [
      'an optional key',
      listOf({ type: 'object', properties: { k: text } }, 'map', 'k'),
      '.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
    [
      'a key that may be null',
      listOf(keyed({ ...text, nullable: true }), 'map', 'k'),
      '.items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
    ],
    [
      'a key that is an object',
      listOf(keyed({ type: 'object' }), 'map', 'k'),
      `.items.properties[k].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
    ],
    [
      'a key that is no field',
      listOf({ type: 'object' }, 'map', 'k'),
      '.x-kubernetes-list-map-keys: Invalid value: ["k"]: entries must all be names of item properties',
    ],
    [
      'a key twice',
      listOf(keyed(text), 'map', 'k', 'k'),
      '.x-kubernetes-list-map-keys: Invalid value: ["k","k"]: must not contain duplicate entries',
    ],
    [
      'a default of another type',
      { type: 'integer', default: 'x' },
      '.default: Invalid value: "string":  in body must be of type integer: "string"',
    ],
    [
      'a default that is not of a format that nobody knows',
      { type: 'string', format: 'int-or-string', default: {} },
      '.default: Invalid value: "":  in body must be of type int-or-string: ""',
    ],
    [
      'a default where there may be none',
      { type: 'array', items: text, maxItems: -1, default: ['a'] },
      '.default: Too many: 1: has too many items',
    ],
    [
      'a default whose values do not fit',
      { type: 'object', additionalProperties: { type: 'integer' }, default: { k: 'v' } },
      '.default.k: Invalid value: "string": .k in body must be of type integer: "string"',
    ],
    [
      'a default with unknown fields, in order',
      { type: 'object', default: { b: 1, a: '<' } },
      String.raw`.default: Invalid value: {"a":"\u003c","b":1}: must not have unknown fields`,
    ],
    [
      'a default with unknown fields that does not fit either',
      keyed({ type: 'boolean' }, { default: { k: 1, x: 1 } }),
      '.default: Invalid value: {"k":1,"x":1}: must not have unknown fields',
      '.default.k: Invalid value: "integer": k in body must be of type boolean: "integer"',
    ],
    [
      'a default that lacks what has a default',
      keyed({ ...text, default: 'x' }, { default: {} }),
      '.default.k: Required value',
    ],
    [
      'a default that is no embedded object',
      embedded({ default: { kind: '_', metadata: { name: '/' } } }),
      '.default.apiVersion: Required value',
      `.default.kind: Invalid value: "_": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      `.default.metadata.name: Invalid value: "/": may not contain '/'`,
    ],
    [
      'a default of metadata that is none',
      embedded({ properties: { metadata: { type: 'object', default: { name: '/' } } } }),
      `.properties[metadata].default: Invalid value: {"name":"/"}: must result in valid metadata: metadata.name: Invalid value: "/": may not contain '/'`,
    ],
    [
      'a dialect of its own',
      { type: 'string', $schema: 'x' },
      `!: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`,
    ],
  ])('refuses %s', (_, schema, ...expected) => {
    expect(spec(schema)).toEqual(expected.map((line) => (line.startsWith('!') ? `s${line.slice(1)}` : at + line)));
  });

  it('says nothing of defaults where the structure is wrong, and nothing of rules where anything is', () => {
    const rules = { 'x-kubernetes-validations': [{ rule: 'nonsense' }] };
    const bad: JSONSchemaProps = { type: 'integer', default: 'x' };
    expect(texts({ type: 'object', properties: { a: {}, b: bad }, ...rules })).toEqual([
      's.properties[a].type: Required value: must not be empty for specified object fields',
    ]);
    expect(texts({ type: 'object', properties: { b: bad }, ...rules })).toHaveLength(1);
    expect(texts({ type: 'object', properties: { b: { ...bad, default: 1 } }, ...rules })).toHaveLength(1);
  });

  it('names what a combination of the root knows and the root does not', () => {
    const anyOf = [{ properties: { a: { minimum: 1 }, metadata: {} } }];
    expect(texts({ type: 'object', anyOf })).toEqual([
      's.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context',
      's.properties[a]: Required value: because it is defined in s.anyOf[0].properties[a]',
      's.properties[metadata]: Required value: because it is defined in s.anyOf[0].properties[metadata]',
    ]);
  });

  it('holds the root to what a write of the status is held to', () => {
    expect(texts({ type: 'object', required: ['spec'], properties: { spec: text } }, true)).toEqual([]);
    const [refusal, ...others] = texts({ type: 'object', maxProperties: 3 }, true);
    expect(others).toEqual([]);
    expect(refusal).toMatch(
      /^s: Invalid value: \{"ID":"",.*"Type":"object","Nullable":false,.*"MaxProperties":3,.*\}: only \[Description Type .* XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/,
    );
  });

  it('wants an object at the root, and leaves the metadata alone', () => {
    expect(texts({})).toEqual(['s.type: Required value: must not be empty at the root']);
    expect(texts({ type: 'object', nullable: true })).toEqual([
      's.nullable: Forbidden: nullable cannot be true at the root',
    ]);
    expect(texts({ type: 'object', additionalProperties: true })).toEqual([
      's.additionalProperties: Forbidden: must not be used at the root',
    ]);
    expect(texts({ type: 'object', properties: { metadata: { type: 'object', default: {} } } })).toEqual([
      's.properties[metadata].default: Forbidden: must not be set in top-level metadata',
    ]);
    expect(texts({ type: 'string' })).toEqual(['s.type: Invalid value: "string": must be object at the root']);
    expect(
      texts({
        type: 'object',
        properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
      }),
    ).toEqual([
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ]);
  });
});
