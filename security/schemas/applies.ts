import type { Random } from '../../faults/random.ts';
import type { Case, Step } from '../../oracle/case.ts';
import {
  apply,
  applyText,
  crdOf,
  create,
  get,
  mergePatch,
  put,
  type Schema,
  withSpec,
} from '../../oracle/cases/steps.ts';
import { randomSchema } from '../../oracle/generators/schema.ts';
import { randomValue } from '../../oracle/generators/value.ts';
import { HOSTILE_TEXTS } from '../fuzz/bodies.ts';
import { mutated } from './mutate.ts';

const FIELD_SETS: readonly unknown[] = [
  {},
  { '.': {} },
  { 'f:spec': {} },
  { 'f:spec': { '.': {}, 'f:a': {}, 'k:{"name":"x"}': { '.': {}, 'f:name': {} }, 'v:"x"': {}, 'i:0': {} } },
  { 'k:{bad': {} },
  { 'k:{}': {} },
  { 'k:[]': {} },
  { 'k:{"a":{"b":[]}}': {} },
  { 'v:': {}, 'v:{': {}, 'v:[1,{"a":2}]': {}, 'v:1e999': {} },
  { 'i:-1': {}, 'i:99999999999999999999': {}, 'i:x': {}, 'i:': {} },
  { f: {}, x: {}, 'z:y': {}, '': {} },
  { 'f:metadata': { 'f:managedFields': {}, 'f:name': {}, 'f:uid': {} } },
  { 'f:__proto__': { 'f:polluted': {} }, 'f:constructor': { 'f:prototype': {} } },
  { 'f:spec': 1 },
  { 'f:spec': null },
  { 'f:spec': [] },
  [],
  'x',
  null,
  nested('f:a', 900),
  nested('k:{"name":"x"}', 300),
  Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f:p${i}`, {}])),
];

function nested(key: string, levels: number): unknown {
  let set: unknown = {};
  for (let level = 0; level < levels; level++) set = { [key]: set };
  return set;
}

const BUILT_IN: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  ['/api/v1/namespaces/default/configmaps/w', { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } }],
  [
    '/api/v1/namespaces/default/services/w',
    {
      apiVersion: 'v1',
      kind: 'Service',
      spec: { selector: { a: 'b' }, ports: [{ port: 80 }, { port: 80, protocol: 'UDP', name: 'u' }] },
    },
  ],
  [
    '/apis/apps/v1/namespaces/default/deployments/w',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [{ name: 'c', image: 'i', env: [{ name: 'E', value: '1' }], ports: [{ containerPort: 1 }] }],
          },
        },
      },
    },
  ],
  [
    '/apis/kubevirt.io/v1/namespaces/default/virtualmachines/w',
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
    },
  ],
];

const SUBRESOURCES = ['', '', '', '/status', '/scale', '/nothing', '/__proto__'];

/** Applies to kinds that the server has from the start: what is applied, by whom and where may be anything. */
export function hostileBuiltInApplies(random: Random): Case {
  const [path, body] = random.pick(BUILT_IN);
  const steps = Array.from({ length: random.between(2, 5) }, (): Step => {
    const whole = { ...body, metadata: { name: 'w', ...managedFields(random) } };
    return {
      method: 'PATCH',
      path: `${path}${random.pick(SUBRESOURCES)}`,
      contentType: random.pick([APPLY, APPLY, APPLY, ...OTHER_PATCHES]),
      query: hostileQuery(random),
      body: random.next() < 0.6 ? mutated(random, whole) : whole,
    };
  });
  return { name: 'hostile applies to a built-in kind', area: 'apply', steps };
}

const APPLY = 'application/apply-patch+yaml';
const OTHER_PATCHES = ['application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/json'];

/** The same for kinds of one's own, with several versions and a schema of any shape. */
export function hostileApplies(random: Random): Case {
  const schema = random.next() < 0.5 ? randomSchema(random) : withSpec({ a: { type: 'integer' } });
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' } };
  const definition = crdOf(['v1', 'v2'].map((name) => ({ name, schema, subresources })));
  const { spec } = schema.properties as { spec: Schema };
  const steps = Array.from({ length: random.between(2, 6) }, (): Step => {
    const fields = { metadata: managedFields(random), spec: randomValue(random, spec) };
    const sent = random.next() < 0.5 ? mutated(random, fields) : fields;
    const options = {
      version: random.pick(['v1', 'v2', 'v2', 'v3']),
      subresource: random.pick(['', '', '', 'status', 'scale']),
      query: hostileQuery(random),
    };
    return random.pick([
      () => apply(random.pick(['one', 'two']), sent, options),
      () => apply(random.pick(['one', 'two']), sent, options),
      () =>
        applyText('one', random.pick([...HOSTILE_TEXTS, '{"apiVersion":1}', '- x', 'a: &a [*a]', 'kind: {}']), options),
      () => create(sent, options),
      () => put(sent, options),
      () => mergePatch(sent, options),
    ])();
  });
  return { name: 'hostile applies', area: 'apply', steps: [definition, ...steps, get(), get({ version: 'v2' })] };
}

function managedFields(random: Random): Record<string, unknown> {
  if (random.next() < 0.4) return {};
  const entries = Array.from({ length: random.between(0, 3) }, () => {
    const entry = {
      manager: random.pick(['one', 'two', '', ...HOSTILE_TEXTS]),
      operation: random.pick(['Apply', 'Update', 'Update', '', 'Delete']),
      apiVersion: random.pick(['{group}/v1', 'v1', 'apps/v1', 'x/y/z', '', '{group}/v9']),
      time: random.pick(['2026-01-02T03:04:05Z', 'x', '']),
      fieldsType: random.pick(['FieldsV1', 'FieldsV1', 'FieldsV2', '']),
      fieldsV1: random.pick(FIELD_SETS),
      subresource: random.pick(['', 'status', 'scale', 'x']),
    };
    return random.next() < 0.3 ? mutated(random, entry) : entry;
  });
  return { managedFields: random.next() < 0.1 ? random.pick([null, {}, 'x', [null], [[]]]) : entries };
}

const hostileQuery = (random: Random): Record<string, string> => ({
  ...(random.next() < 0.9 && {
    fieldManager:
      random.next() < 0.7 ? random.pick(['one', 'two', 'x'.repeat(128), 'x'.repeat(129)]) : encodable(random),
  }),
  ...(random.next() < 0.5 && { force: random.pick(['true', 'false', '1', 'x', '']) }),
  ...(random.next() < 0.2 && { fieldValidation: random.pick(['Strict', 'Warn', 'Ignore', 'x', '']) }),
  ...(random.next() < 0.1 && { dryRun: random.pick(['All', 'None', '']) }),
});

/** URLSearchParams writes half a surrogate as something else; the server is to see what was meant. */
const encodable = (random: Random): string => random.pick(HOSTILE_TEXTS);
