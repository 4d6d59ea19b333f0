import type { Random } from '../../faults/random.ts';
import type { Case } from '../../oracle/case.ts';
import { SAMPLE, TYPES } from '../../oracle/cases/celSample.ts';
import { apply, crd, crdOf, create, get, put, type Schema, withSpec } from '../../oracle/cases/steps.ts';
import { randomExpression } from '../../oracle/generators/expression.ts';
import { randomSchema } from '../../oracle/generators/schema.ts';
import { randomValue } from '../../oracle/generators/value.ts';
import { HOSTILE_TEXTS } from '../fuzz/bodies.ts';
import { mutated } from './mutate.ts';

const RULE_FIELDS = ['rule', 'message', 'messageExpression', 'reason', 'fieldPath', 'optionalOldSelf'] as const;

/** A CRD in which anything may be anything. It is not stored: it could take the name of another. */
export function mutatedCrd(random: Random): Case {
  const schema = withRules(random, randomSchema(random));
  const versions = [{ name: 'v1', schema, subresources: { status: {}, scale: SCALE }, more: MORE }];
  const definition = mutated(random, crdOf(versions, random.next() < 0.3 ? { conversion: CONVERSION } : {}).body);
  const step = { ...crd(schema), body: definition, query: { dryRun: 'All' } };
  return { name: 'a mutated CRD', area: 'crd', steps: [step] };
}

/** What a version has beside its schema. */
const MORE = {
  deprecated: true,
  deprecationWarning: 'old',
  selectableFields: [{ jsonPath: '.spec.a' }],
  additionalPrinterColumns: [
    { name: 'A', type: 'string', jsonPath: '.spec.a', priority: 1 },
    { name: 'B', type: 'date', jsonPath: ".spec.b[?(@.name=='x')].value", format: 'date-time' },
  ],
};
const CONVERSION = {
  strategy: 'Webhook',
  webhook: {
    conversionReviewVersions: ['v1'],
    clientConfig: { caBundle: 'Cg==', service: { namespace: 'default', name: 's', path: '/convert', port: 443 } },
  },
};
const SCALE = { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a', labelSelectorPath: '.status.b' };

/** A kind with a schema in which anything may be anything, and the life of an object of it, where it is accepted. */
export function mutatedSchema(random: Random): Case {
  const sound = withRules(random, randomSchema(random));
  const schema = mutated(random, sound);
  const fields = (): Record<string, unknown> => ({
    spec: mutated(random, { x: randomValue(random, (sound.properties as { spec: Schema }).spec) }).x,
  });
  return {
    name: 'a kind with a mutated schema',
    area: 'crd',
    steps: [crd(schema), create(fields()), apply('one', fields()), put(fields()), apply('two', fields()), get()],
  };
}

/** Rules with nonsense in each of their fields, on every type that a rule can see. */
export function hostileRules(random: Random): Case {
  const rules = Array.from({ length: random.between(1, 4) }, () => hostileRule(random));
  const schema = withSpec(TYPES, { 'x-kubernetes-validations': rules });
  return {
    name: 'hostile rules',
    area: 'cel',
    steps: [crd(schema), create({ spec: SAMPLE }), put({ spec: mutated(random, SAMPLE) }), get()],
  };
}

function hostileRule(random: Random): Record<string, unknown> {
  const rule: Record<string, unknown> = { rule: `(${randomExpression(random)}) == (${randomExpression(random)})` };
  for (const field of RULE_FIELDS) {
    if (random.next() < 0.15) rule[field] = random.next() < 0.5 ? random.pick(HOSTILE_TEXTS) : randomExpression(random);
  }
  return random.next() < 0.3 ? mutated(random, rule) : rule;
}

/** The schema with rules somewhere in it, some of which compile. */
function withRules(random: Random, schema: Schema): Schema {
  const rules = [
    { rule: random.pick(['has(self.a)', 'self == oldSelf', 'size(self) < 5', 'true', randomExpression(random)]) },
  ];
  const { properties } = schema as { properties: Record<string, Schema> };
  return { ...schema, properties: { ...properties, spec: { ...properties.spec, 'x-kubernetes-validations': rules } } };
}
