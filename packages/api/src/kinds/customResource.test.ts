import { describe, expect, it } from 'vitest';
import { inlineOpenApi } from '../openapi.ts';
import { int32, list, map, opt, string, struct } from '../schema.ts';
import {
  atMost,
  inVersion,
  nullable,
  nullableTime,
  optional,
  required,
  within,
  withoutDefaults,
} from './customResource.ts';
import { VirtualMachine } from './kubevirt/virtualMachine.ts';

const Inner = struct('t.Inner', 'Inside.', { port: opt(1, int32, { default: 80, doc: 'A port.' }) });
const Outer = struct('t.Outer', 'Outside.', {
  one: opt(1, Inner, { default: {} }),
  many: opt(2, list(Inner, 'atomic')),
  byName: opt(3, map(Inner)),
});

describe('withoutDefaults', () => {
  it('drops defaults at every depth and keeps everything else', () => {
    const { one, many, byName } = inlineOpenApi(withoutDefaults(Outer)).properties ?? {};
    const inner = {
      description: 'Inside.',
      type: 'object',
      properties: { port: { description: 'A port.', type: 'integer', format: 'int32' } },
    };
    expect(one).toEqual(inner);
    expect(many).toEqual({ type: 'array', 'x-kubernetes-list-type': 'atomic', items: inner });
    expect(byName).toEqual({ type: 'object', additionalProperties: inner });
  });

  it('leaves the original as it was, and points to it', () => {
    expect(withoutDefaults(Outer).base).toBe(Outer);
    expect(Outer.properties.one.default).toEqual({});
  });
});

describe('inVersion', () => {
  it('changes the version and the name of the schema, nothing else', () => {
    const old = inVersion(VirtualMachine, 'v1alpha3');
    expect([old.version, old.schema.name]).toEqual(['v1alpha3', 'io.kubevirt.v1alpha3.VirtualMachine']);
    expect(old.schema.properties).toBe(VirtualMachine.schema.properties);
    expect(VirtualMachine.schema.name).toBe('io.kubevirt.v1.VirtualMachine');
  });
});

it('writes limits and null as a definition has them', () => {
  const schema = struct('t.Limits', 'Limits.', {
    few: required(atMost(2, list(string))),
    percent: optional(within(0, 100, int32)),
    positive: optional(within(1, undefined, int32)),
    maybe: optional(nullable(string)),
    when: optional(nullableTime),
  });
  expect(inlineOpenApi(schema)).toMatchObject({
    required: ['few'],
    properties: {
      few: { type: 'array', maxItems: 2 },
      percent: { minimum: 0, maximum: 100 },
      positive: { type: 'integer', format: 'int32', minimum: 1 },
      maybe: { type: 'string', nullable: true },
      when: { type: 'string', format: 'date-time', nullable: true },
    },
  });
});
