import type { Schema } from '@vireo/api';
import fc from 'fast-check';

/** Words that mean something somewhere in a spec, so that random specs get far. */
const WORDS = [
  'root',
  'data',
  'shared',
  'cloudinit',
  'default',
  'blue',
  'virtio',
  'sata',
  'scsi',
  'usb',
  'none',
  'native',
  'auto',
  'tablet',
  'ich9',
  'isa',
  'hyperv',
  'amd64',
  'q35',
  'host-model',
  'Haswell',
  'require',
  'reset',
  'delay',
  'guest',
  'stop',
  'up',
  'Paused',
  'open',
  '0000:00:0a.0',
  '52:54:00:00:00:02',
  '6a1a24a1-4061-4607-8bf4-a3963d0c5895',
  'Always',
];
const HOSTILE = [
  '',
  '"/><x y="',
  ']]>',
  '&amp;',
  'a,b=c',
  '../../etc',
  '-drive',
  '\u0000',
  '\ud800',
  '\n',
  '__proto__',
  '💥',
];
const QUANTITIES = ['1', '2', '500m', '64Mi', '1Gi', '1073741824', '1e3', '-1', '0'];

const texts = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 1, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);
const numbers = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 4 }) },
  { weight: 1, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.constantFrom(512, 4096, 65536) },
);

/** Values of a schema: valid in shape, hostile in content. `presence` is how often an optional field is there. */
export function valuesOf(schema: Schema, presence = 0.15): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.intOrString) return fc.oneof(numbers, texts);
  if (schema.format === 'quantity') return fc.constantFrom(...QUANTITIES);
  switch (schema.type) {
    case 'object':
      return objectsOf(schema, presence);
    case 'array':
      return fc.array(schema.items ? valuesOf(schema.items, presence) : fc.constant({}), { maxLength: 3 });
    case 'integer':
    case 'number':
      return numbers;
    case 'boolean':
      return fc.boolean();
    case 'string':
      return texts;
    default:
      return fc.constant({});
  }
}

function objectsOf(schema: Schema, presence: number): fc.Arbitrary<unknown> {
  if (schema.values) return fc.dictionary(texts, valuesOf(schema.values, presence), { maxKeys: 2 });
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const values = valuesOf(property.schema, presence);
    return [name, property.required ? values : absentMostly(values, presence)] as const;
  });
  return fc.record(Object.fromEntries(fields)).map((value) => JSON.parse(JSON.stringify(value)));
}

const absentMostly = (values: fc.Arbitrary<unknown>, presence: number): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: Math.round(100 * (1 - presence)), arbitrary: fc.constant(undefined) },
    { weight: Math.round(100 * presence), arbitrary: values },
  );
