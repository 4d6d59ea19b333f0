import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CustomResourceDefinitionSchema, PersistentVolumeSchema, Pod } from './kinds/index.ts';
import { componentName, inlineOpenApi, listComponentName, listSchema, schemaFromJson, toOpenApi } from './openapi.ts';
import {
  bytes,
  int32,
  intOrString,
  list,
  map,
  opt,
  type Property,
  quantity,
  req,
  type Schema,
  string,
  struct,
} from './schema.ts';

describe('toOpenApi', () => {
  const Inner = struct('t.Inner', 'Inside.', { port: opt(1, intOrString) });
  const Outer = struct('t.Outer', 'Outside.', {
    plain: opt(1, Inner),
    told: opt(2, Inner, 'Told about.'),
    filled: opt(3, Inner, { default: {} }),
    names: req(4, list(string, 'set'), { patch: 'merge', doc: 'Names.' }),
    items: opt(5, list(Inner, ['port']), { patch: 'merge', key: 'port' }),
    sizes: opt(6, map(quantity)),
    data: opt(7, map(bytes, 'atomic')),
  });

  it('publishes every named schema once and refers to it', () => {
    expect(toOpenApi([Outer])).toEqual({
      't.Outer': {
        description: 'Outside.',
        type: 'object',
        properties: {
          plain: { $ref: '#/components/schemas/t.Inner' },
          told: { allOf: [{ $ref: '#/components/schemas/t.Inner' }], description: 'Told about.' },
          filled: { allOf: [{ $ref: '#/components/schemas/t.Inner' }], default: {} },
          names: {
            type: 'array',
            items: { type: 'string' },
            description: 'Names.',
            'x-kubernetes-list-type': 'set',
            'x-kubernetes-patch-strategy': 'merge',
          },
          items: {
            type: 'array',
            items: { $ref: '#/components/schemas/t.Inner' },
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['port'],
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'port',
          },
          sizes: {
            type: 'object',
            additionalProperties: { $ref: `#/components/schemas/${quantity.name}` },
          },
          data: {
            type: 'object',
            additionalProperties: { type: 'string', format: 'byte' },
            'x-kubernetes-map-type': 'atomic',
          },
        },
        required: ['names'],
      },
      't.Inner': {
        description: 'Inside.',
        type: 'object',
        properties: { port: { $ref: `#/components/schemas/${intOrString.name}` } },
      },
      [quantity.name ?? '']: { description: quantity.description, oneOf: [{ type: 'string' }, { type: 'number' }] },
      [intOrString.name ?? '']: {
        description: intOrString.description,
        format: 'int-or-string',
        oneOf: [{ type: 'integer' }, { type: 'string' }],
      },
    });
  });

  it('marks kinds and lists', () => {
    const gvk = [{ group: '', version: 'v1', kind: 'PodList' }];
    const components = toOpenApi([listSchema(Pod)], { [listComponentName(Pod)]: gvk });
    expect(components[listComponentName(Pod)]?.['x-kubernetes-group-version-kind']).toEqual(gvk);
    expect(components[componentName(Pod)]?.properties?.spec).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec' }],
    });
  });

  it('says where one place sees a schema differently, and leaves the component alone', () => {
    const components = toOpenApi([PersistentVolumeSchema]);
    const spec = components['io.k8s.api.core.v1.PersistentVolumeSpec'];
    expect(spec?.properties?.claimRef).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.ObjectReference' }],
      'x-kubernetes-map-type': 'granular',
    });
    expect(components['io.k8s.api.core.v1.ObjectReference']?.['x-kubernetes-map-type']).toBe('atomic');
  });

  it('copes with a schema that contains itself', () => {
    const name = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    const components = toOpenApi([CustomResourceDefinitionSchema]);
    expect(components[name]?.properties?.not).toMatchObject({ allOf: [{ $ref: `#/components/schemas/${name}` }] });
    const version = inlineOpenApi(CustomResourceDefinitionSchema);
    expect(JSON.stringify(version)).toContain('"x-kubernetes-preserve-unknown-fields":true');
  });
});

describe('componentName', () => {
  it('follows the schema, or else the group', () => {
    expect(componentName(Pod)).toBe('io.k8s.api.core.v1.Pod');
    expect(listComponentName(Pod)).toBe('io.k8s.api.core.v1.PodList');
    const custom = {
      group: 'kubevirt.io',
      version: 'v1',
      kind: 'VirtualMachine',
      listKind: 'VirtualMachineList',
      schema: {},
    };
    expect(componentName(custom)).toBe('io.kubevirt.v1.VirtualMachine');
    expect(listComponentName(custom)).toBe('io.kubevirt.v1.VirtualMachineList');
  });
});

describe('inlineOpenApi', () => {
  it('writes quantities and int-or-strings so that a CRD may carry them', () => {
    const schema = struct('t.S', 'S.', {
      size: opt(1, quantity, 'Size.'),
      port: opt(2, intOrString),
      n: opt(3, int32),
    });
    const anyOf = [{ type: 'integer' }, { type: 'string' }];
    expect(inlineOpenApi(schema).properties).toMatchObject({
      size: { description: 'Size.', anyOf, 'x-kubernetes-int-or-string': true, pattern: expect.any(String) },
      port: { anyOf, 'x-kubernetes-int-or-string': true },
      n: { type: 'integer', format: 'int32' },
    });
  });

  it('takes the pattern of a quantity', () => {
    const pattern = new RegExp(inlineOpenApi(quantity).pattern ?? '');
    for (const text of ['1', '500m', '1.5Gi', '-2', '1e3', '.5']) expect(text).toMatch(pattern);
    for (const text of ['', '1 Gi', 'x', '1GiB']) expect(text).not.toMatch(pattern);
  });
});

describe('schemaFromJson', () => {
  it('keeps a requirement without a property, as anyOf branches have it', () => {
    const json = { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(schemaFromJson(json).anyOf?.[0]?.properties?.a).toEqual({ schema: {}, required: true });
    expect(inlineOpenApi(schemaFromJson(json))).toEqual(json);
  });

  it('keeps maps of anything', () => {
    const json = { type: 'object', additionalProperties: true } as const;
    expect(inlineOpenApi(schemaFromJson(json))).toEqual(json);
  });

  it('undoes inlineOpenApi', () => {
    fc.assert(
      fc.property(schemaArbitrary, (schema) => {
        expect(schemaFromJson(inlineOpenApi(schema))).toEqual(schema);
      }),
    );
  });

  it('is undone by inlineOpenApi for every built-in kind', () => {
    const json = inlineOpenApi(Pod.schema);
    expect(inlineOpenApi(schemaFromJson(json))).toEqual(json);
  });
});

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const count = some(fc.nat(20));
const flag = some(fc.boolean());
const text = some(fc.string());

/** Drops what is undefined, so that objects compare as JSON does. */
const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

const leaf = fc
  .record({
    type: fc.constantFrom('string', 'integer', 'number', 'boolean'),
    format: some(fc.constantFrom('int32', 'int64', 'double', 'byte', 'date-time')),
    enum: some(fc.array(fc.string(), { minLength: 1, maxLength: 3 })),
    nullable: flag,
    pattern: some(fc.constant('^a+$')),
    minLength: count,
    maxLength: count,
    minimum: count,
    maximum: count,
    exclusiveMinimum: flag,
    exclusiveMaximum: flag,
    multipleOf: count,
    validations: some(
      fc.array(
        fc
          .record({
            rule: fc.string(),
            message: text,
            messageExpression: text,
            reason: text,
            fieldPath: text,
            optionalOldSelf: flag,
          })
          .map(defined),
        { maxLength: 2 },
      ),
    ),
  })
  .map((schema): Schema => defined(schema as Schema));

const { schemaArbitrary } = fc.letrec<{ schemaArbitrary: Schema }>((tie) => {
  const child = tie('schemaArbitrary');
  const branches = some(fc.array(leaf, { minLength: 1, maxLength: 2 }));
  const property = fc
    .record({
      schema: child,
      required: fc.boolean(),
      description: text,
      default: some(fc.jsonValue().filter((value) => value !== undefined)),
      patchStrategy: some(fc.constantFrom('merge', 'replace')),
      patchMergeKey: some(fc.constant('name')),
    })
    .map((each): Property => defined(each));
  const object = fc
    .record({
      type: fc.constant('object' as const),
      properties: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), property, { maxKeys: 4 }),
      preserveUnknownFields: flag,
      embeddedResource: flag,
      mapType: some(fc.constantFrom('atomic' as const, 'granular' as const)),
      minProperties: count,
      maxProperties: count,
      allOf: branches,
      anyOf: branches,
      oneOf: branches,
      not: some(leaf),
    })
    .map((schema): Schema => defined(schema));
  const array = fc
    .record({
      type: fc.constant('array' as const),
      items: child,
      listType: some(fc.constantFrom('atomic' as const, 'set' as const, 'map' as const)),
      listMapKeys: some(fc.array(fc.string(), { minLength: 1, maxLength: 2 })),
      minItems: count,
      maxItems: count,
      uniqueItems: flag,
    })
    .map((schema): Schema => defined(schema));
  const dictionary = fc.record({ type: fc.constant('object' as const), values: child }) as fc.Arbitrary<Schema>;
  const loose = fc.constant<Schema>({ intOrString: true });
  return {
    schemaArbitrary: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, loose, array, object, dictionary),
  };
});
