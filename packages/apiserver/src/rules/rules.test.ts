import type { UnknownObject } from '@vireo/api';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CallResponse, serverOfFile } from '../testing/calls.ts';
import { define, widgetDefinition } from '../testing/widgets.ts';
import { definitionCases } from './testing/definitionCases.ts';
import { objectCases } from './testing/objectCases.ts';
import { int, object, short, withRules } from './testing/ruleSchemas.ts';

const calls = serverOfFile();
const { post, put, patch } = calls;

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const REASONS: Readonly<Record<string, string>> = {
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
  'Duplicate value': 'FieldValueDuplicate',
  'Unsupported value': 'FieldValueNotSupported',
  Forbidden: 'FieldValueForbidden',
};

/** `field: message`, and the reason where it is not the one that the message tells. */
const causesOf = ({ body }: CallResponse): string[] =>
  (body.details?.causes ?? []).map(({ reason, field, message = '' }) => {
    const isUsual = REASONS[/^[^:]*/.exec(message)?.[0] ?? ''] === reason;
    return `${isUsual ? '' : `${reason} `}${field}: ${message}`;
  });

const versionOf = (schema: JSONSchemaProps, more: object = {}) => ({ schema: { openAPIV3Schema: schema }, ...more });

describe('a definition', () => {
  const ROOT = 'spec.validation.openAPIV3Schema';
  const HINT =
    ' (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
  const abbreviated = (cause: string): string =>
    cause
      .replace(`${ROOT}.properties[spec]`, '')
      .replace(/^spec\.validation/, '!spec.validation')
      .replace('.x-kubernetes-validations', '#')
      .replace(/\{"Rule":.*?\}: /s, 'RULE: ')
      .replace(HINT, ' HINT');

  it.each(definitionCases)('is refused for %s', async (_, schema, causes) => {
    const version = versionOf({ type: 'object', properties: { spec: schema } });
    const definition = widgetDefinition({ group: 'refused.example.com', versions: [version] });
    const response = await post(DEFINITIONS, definition, { query: { dryRun: 'All' } });
    expect(response).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(causesOf(response).map(abbreviated).sort()).toEqual([...causes].sort());
  });

  it('is refused in the whole words of Kubernetes', async () => {
    const schema = object({ spec: withRules(object({ n: { type: 'integer' } }), "self.n > 1 && self.x == '<'") });
    const versions = [versionOf(schema), versionOf(object({ spec: object({}) }))];
    const { body } = await post(DEFINITIONS, widgetDefinition({ group: 'refused.example.com', versions }));
    expect(body.message).toBe(
      'CustomResourceDefinition.apiextensions.k8s.io "widgets.refused.example.com" is invalid: ' +
        'spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: ' +
        `Invalid value: {"Rule":"self.n \\u003e 1 \\u0026\\u0026 self.x == '\\u003c'","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: ` +
        "compilation failed: ERROR: <input>:1:19: undefined field 'x'\n | self.n > 1 && self.x == '<'\n | ..................^",
    );
  });

  it('with more rules than can be compiled at once is refused', async () => {
    const long = `self.size() < 20 ${"|| self == 'abcdefghijklmnopqrstuvwxyz' ".repeat(2000)}`;
    const fields = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`f${i}`, withRules(short, long)]));
    const definition = widgetDefinition({ group: 'long.example.com', versions: [versionOf(object(fields))] });
    const response = await post(DEFINITIONS, definition, { query: { dryRun: 'All' } });
    expect(response.status).toBe(422);
    const [cause, ...others] = causesOf(response);
    expect(cause).toMatch(/^spec\.validation\..*\.rule: .*: the rules of the definition are too long together$/s);
    expect(others.length).toBeLessThan(3);
  });
});

describe('an object', () => {
  const group = 'rules.example.com';
  const path = `/apis/${group}/v1/namespaces/default/widgets`;
  const widget = (i: number, value: unknown): UnknownObject => ({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name: `c${i}` },
    spec: { [`c${i}`]: value },
  });
  const olds = new Map<number, UnknownObject>();

  /** All cases are fields of one definition; what they replace is written before it has rules. */
  beforeAll(async () => {
    await define(calls, { group });
    for (const [i, { old }] of objectCases.entries()) {
      if (old !== undefined) olds.set(i, (await post(path, widget(i, old))).body);
    }
    const fields = Object.fromEntries(objectCases.map(({ schema }, i) => [`c${i}`, schema]));
    const schema = object({ spec: object({ ...fields, never: withRules(short, 'false') }) });
    await patch(`${DEFINITIONS}/widgets.${group}`, 'json', [
      { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value: schema },
    ]);
    const probe = { ...widget(0, 0), metadata: { name: 'probe' }, spec: { never: '' } };
    while ((await post(path, probe, { query: { dryRun: 'All' } })).status !== 422);
  });

  it.each(objectCases.map((objectCase, i) => ({ ...objectCase, i })))(
    '$what',
    async ({ i, value, causes, warnings }) => {
      const old = olds.get(i);
      const draft = { ...widget(i, value), ...(old && { metadata: old.metadata }) };
      const response = old ? await put(`${path}/c${i}`, draft) : await post(path, draft);
      const own = (text: string): string => text.replaceAll(new RegExp(`\\bspec\\.c${i}\\b`, 'g'), 'spec');
      const told = causesOf(response).map((cause) =>
        own(cause).replace(/^spec|^<nil>/, (word) => (word === 'spec' ? '' : `!${word}`)),
      );
      expect(told.sort()).toEqual([...causes].sort());
      expect(response.status).toBe(causes.length > 0 ? 422 : old ? 200 : 201);
      const header = response.headers.warning;
      expect(header && own(header)).toEqual(warnings?.map((text) => `299 - "spec${text}"`).join(', '));
    },
  );
});

describe('rules', () => {
  const names = { type: 'object', properties: { name: { type: 'string', maxLength: 63 } } };

  it('at the root see the type and the names of the object', async () => {
    const group = 'root.example.com';
    const schema = withRules(
      object({ spec: object({ size: int }), metadata: names }),
      "self.kind == 'Widget' && self.apiVersion.startsWith('root.example.com/')",
      { rule: "self.metadata.name.startsWith('a') || has(self.metadata.generateName)", message: 'names start with a' },
    );
    await define(calls, { group, versions: [versionOf(schema)] });
    const path = `/apis/${group}/v1/namespaces/default/widgets`;
    expect((await post(path, { metadata: { name: 'abc' }, spec: {} })).status).toBe(201);
    const refused = await post(path, { metadata: { name: 'b' } });
    expect(causesOf(refused)).toEqual(['<nil>: Invalid value: names start with a']);
    expect(refused.body.message).toBe(
      'Widget.root.example.com "b" is invalid: <nil>: Invalid value: names start with a',
    );
    const labels = withRules(object({ metadata: names }), 'has(self.metadata.labels)');
    const { status } = await post(
      DEFINITIONS,
      widgetDefinition({ group: 'labels.example.com', versions: [versionOf(labels)] }),
    );
    expect(status).toBe(422);
  });

  it('are run whenever an object is written, whatever it is written by', async () => {
    const group = 'writes.example.com';
    const schema = object({
      spec: withRules(object({ size: int }), { rule: 'self.size >= oldSelf.size', message: 'must not shrink' }),
      status: withRules(object({ size: int }), { rule: 'self.size < 10', message: 'too large' }),
    });
    await define(calls, { group, versions: [versionOf(schema, { subresources: { status: {} } })] });
    const path = `/apis/${group}/v1/namespaces/default/widgets`;
    const { body } = await post(path, { metadata: { name: 'w' }, spec: { size: 5 }, status: { size: 100 } });
    expect(body).not.toHaveProperty('status');
    const answers = [
      await patch(`${path}/w`, 'merge', { spec: { size: 4 } }),
      await patch(`${path}/w`, 'json', [{ op: 'replace', path: '/spec/size', value: 4 }]),
      await put(`${path}/w`, { ...body, spec: { size: 4 } }),
      await patch(
        `${path}/w`,
        'apply',
        { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'w' }, spec: { size: 4 } },
        { query: { fieldManager: 'm', force: 'true' } },
      ),
      await patch(`${path}/w/status`, 'merge', { status: { size: 11 } }),
      await patch(`${path}/w/status`, 'merge', { status: { size: 9 }, spec: { size: 1 } }),
      await patch(`${path}/w`, 'merge', { spec: { size: 6 } }),
      await patch(`${path}/w`, 'merge', { spec: null }),
    ];
    expect(answers.map((answer) => [answer.status, ...causesOf(answer)])).toEqual([
      ...Array.from({ length: 4 }, () => [422, 'spec: Invalid value: must not shrink']),
      [422, 'status: Invalid value: too large'],
      [200],
      [200],
      [200],
    ]);
  });

  it('of an embedded resource see its names', async () => {
    const group = 'embedded.example.com';
    const template: JSONSchemaProps = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: object({ size: int }) },
    };
    const rule = { rule: "self.metadata.name == 'x' && self.kind == 'Pod'", message: 'a pod called x' };
    await define(calls, { group, versions: [versionOf(object({ template: withRules(template, rule) }))] });
    const write = (name: string) =>
      post(`/apis/${group}/v1/namespaces/default/widgets`, {
        metadata: { name: `w-${name}` },
        template: { apiVersion: 'v1', kind: 'Pod', metadata: { name } },
      });
    expect((await write('x')).status).toBe(201);
    expect(causesOf(await write('y'))).toEqual(['template: Invalid value: a pod called x']);
  });

  it('that are replaced are no longer run, and stored ones are not refused again', async () => {
    const group = 'replaced.example.com';
    const schemaOf = (rule: string) => object({ spec: withRules(object({ size: int }), rule) });
    await define(calls, { group, versions: [versionOf(schemaOf('self.size > 5'))] });
    const path = `/apis/${group}/v1/namespaces/default/widgets`;
    const write = () => post(path, { metadata: { name: 'w' }, spec: { size: 3 } }, { query: { dryRun: 'All' } });
    expect((await write()).status).toBe(422);
    const definition = `${DEFINITIONS}/widgets.${group}`;
    await patch(definition, 'json', [
      { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value: schemaOf('self.size > 1') },
    ]);
    while ((await write()).status !== 201);
    expect((await patch(definition, 'merge', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
  });
});
