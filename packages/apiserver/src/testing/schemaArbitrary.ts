import type { Schema } from '@vireo/api';
import fc from 'fast-check';

const MAX_DEPTH = 8;
const QUANTITIES = ['0', '1', '500m', '-1', '1Gi', '2Gi', '1e3', '100'];
/** Words that rules look for, so that random objects get past the first check now and then. */
const WORDS = [
  '',
  'a',
  'Always',
  'Never',
  'Exists',
  'In',
  'TCP',
  'None',
  '10.96.0.7',
  'v1',
  'example.com/x',
  'LoadBalancer',
  'ExternalName',
  '..',
  '/x',
  '25%',
];

/** Random values of a schema's shape: right types, everything may be missing, nothing else promised. */
export function arbitraryOf(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  if (schema.protoMessage === 'quantity') return fc.constantFrom(...QUANTITIES);
  if (schema.intOrString) return fc.oneof(fc.integer({ min: -2, max: 70_000 }), word());
  switch (schema.type) {
    case 'object':
      return arbitraryObject(schema, depth);
    case 'array':
      return depth > MAX_DEPTH
        ? fc.constant([])
        : fc.array(arbitraryOf(schema.items ?? {}, depth + 1), { maxLength: 2 });
    case 'string':
      return schema.format === 'byte' ? fc.base64String({ maxLength: 8 }) : word();
    case 'integer':
    case 'number':
      return fc.integer({ min: -2, max: 70_000 });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

const word = (): fc.Arbitrary<string> => fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 5 }));

function arbitraryObject(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (depth > MAX_DEPTH) return fc.constant({});
  if (schema.values) return fc.dictionary(word(), arbitraryOf(schema.values, depth + 1), { maxKeys: 2 });
  const entries = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, fc.option(lazily(property.schema, depth + 1), { nil: undefined, freq: 2 })] as const,
  );
  return fc.record(Object.fromEntries(entries)).map(withoutUndefined);
}

/** Building the arbitrary of a large tree is dear, so parts are built when they are first drawn. */
function lazily(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  let built: fc.Arbitrary<unknown> | undefined;
  return fc.constant(null).chain(() => {
    built ??= arbitraryOf(schema, depth);
    return built;
  });
}

const withoutUndefined = (object: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
