import { describe, expect, it } from 'vitest';
import { fieldsAt, nodeAt, schemaOf, valuesAt } from './schema.ts';

const document = {
  components: {
    schemas: {
      'io.x.v1.Meta': { type: 'object', description: 'Metadata.', properties: { name: { type: 'string' } } },
      'io.kubevirt.v1.VirtualMachine': {
        type: 'object',
        'x-kubernetes-group-version-kind': [{ group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachine' }],
        properties: {
          metadata: { allOf: [{ $ref: '#/components/schemas/io.x.v1.Meta' }], description: 'Name and labels.' },
          spec: {
            type: 'object',
            required: ['template'],
            properties: {
              running: { type: 'boolean', description: 'Whether it runs.' },
              template: { type: 'object', properties: {} },
              policy: { type: 'string', enum: ['Always', 'Never'] },
              disks: { type: 'array', items: { type: 'object', properties: { bus: { type: 'string' } } } },
              labels: { type: 'object', additionalProperties: { type: 'string' } },
            },
          },
        },
      },
    },
  },
};

describe('help of a schema', () => {
  const schema = schemaOf(document, 'kubevirt.io', 'v1', 'VirtualMachine');
  if (!schema) throw new Error('the kind is not found');
  it('a kind that the server does not describe has none', () => {
    expect(schemaOf(document, 'kubevirt.io', 'v1', 'Other')).toBeUndefined();
  });
  it('names fields with types, required ones first', () => {
    expect(fieldsAt(schema, ['spec']).map(({ name, type }) => `${name} ${type}`)).toEqual([
      'template object',
      'disks []object',
      'labels map of string',
      'policy string',
      'running boolean',
    ]);
  });
  it('follows references, and prefers the description beside them', () => {
    expect(nodeAt(schema, ['metadata'])?.description).toBe('Name and labels.');
    expect(fieldsAt(schema, ['metadata']).map(({ name }) => name)).toEqual(['name']);
  });
  it('goes through lists and maps', () => {
    expect(nodeAt(schema, ['spec', 'disks', 0, 'bus'])?.type).toBe('string');
    expect(nodeAt(schema, ['spec', 'labels', 'app'])?.type).toBe('string');
    expect(nodeAt(schema, ['spec', 'constructor'])).toBeUndefined();
  });
  it('offers values where the server lists them', () => {
    expect(valuesAt(schema, ['spec', 'policy'])).toEqual(['Always', 'Never']);
    expect(valuesAt(schema, ['spec', 'running'])).toEqual(['true', 'false']);
  });
});
