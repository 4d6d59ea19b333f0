import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { describe, expect, it } from 'vitest';
import { validateStructural } from './structural.ts';

const texts = (schema: JSONSchemaProps) =>
  validateStructural(schema, 's').map(({ field, text }) => `${field}: ${text}`);
const spec = (x: JSONSchemaProps) => texts({ type: 'object', properties: { x } });
const at = 's.properties[x]';

describe('validateStructural', () => {
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

  it.each<[string, JSONSchemaProps, string]>([
    ['no type', {}, `${at}.type: Required value: must not be empty for specified object fields`],
    [
      'no type of items',
      { type: 'array', items: {} },
      `${at}.items.type: Required value: must not be empty for specified array items`,
    ],
    [
      'no type of values',
      { type: 'object', additionalProperties: {} },
      `${at}.additionalProperties.type: Required value: must not be empty for specified object fields`,
    ],
    ['no items', { type: 'array' }, `${at}.items: Required value: must be specified`],
    [
      'an unknown type',
      { type: 'text' },
      `${at}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
    ['$ref', { type: 'object', $ref: '#/x' }, `${at}.$ref: Forbidden: $ref is not supported`],
    ['definitions', { type: 'object', definitions: {} }, `${at}.definitions: Forbidden: definitions is not supported`],
    [
      'uniqueItems',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      `${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
    [
      'both kinds of properties',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
      `${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
    ],
    [
      'additionalProperties: false',
      { type: 'object', additionalProperties: false },
      `${at}.additionalProperties: Forbidden: additionalProperties cannot be set to false`,
    ],
    [
      'items by position',
      { type: 'array', items: [{ type: 'string' }] },
      `${at}.items: Forbidden: items must be a schema object and not an array`,
    ],
    [
      'a bad pattern',
      { type: 'string', pattern: '(' },
      `${at}.pattern: Invalid value: "(": must be a valid regular expression, but isn't`,
    ],
    [
      'a type in anyOf',
      { type: 'string', anyOf: [{ type: 'string' }] },
      `${at}.anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
    [
      'a default in allOf',
      { type: 'string', allOf: [{ default: 'x' }] },
      `${at}.allOf[0].default: Forbidden: must be undefined to be structural`,
    ],
    [
      'nullable in not',
      { type: 'string', not: { nullable: true } },
      `${at}.not.nullable: Forbidden: must be false to be structural`,
    ],
    [
      'a field known to anyOf only',
      { type: 'object', anyOf: [{ properties: { a: { minimum: 1 } } }] },
      `${at}.properties[a]: Required value: because it is defined in ${at}.anyOf[0].properties[a]`,
    ],
    [
      'a typed int-or-string',
      { type: 'integer', 'x-kubernetes-int-or-string': true },
      `${at}.type: Forbidden: must be empty if x-kubernetes-int-or-string is true`,
    ],
    [
      'preserve: false',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      `${at}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`,
    ],
    [
      'a map list without keys',
      { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object' } },
      `${at}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
    ],
    [
      'an optional key',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' } } },
      },
      `${at}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
    [
      'a key that is no field',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object' },
      },
      `${at}.x-kubernetes-list-map-keys[0]: Invalid value: "k": entries must all be names of item properties`,
    ],
    [
      'a default of another type',
      { type: 'integer', default: 'x' },
      `${at}.default: Invalid value: "string":  in body must be of type integer: "string"`,
    ],
    [
      'a default with unknown fields',
      { type: 'object', default: { a: 1 } },
      `${at}.default: Invalid value: {"a":1}: must not have unknown fields`,
    ],
  ])('refuses %s', (_, schema, expected) => {
    expect(spec(schema)).toEqual([expected]);
  });

  it('wants an object at the root, and leaves the metadata alone', () => {
    expect(texts({})).toEqual(['s.type: Required value: must not be empty at the root']);
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
