import type { Status } from '@vireo/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOver } from '../testing/calls.ts';
import {
  DEPLOYMENTS,
  fieldValidationCases,
  MAPS,
  OPEN_WIDGETS,
  WIDGETS,
  type WireCase,
} from '../testing/fieldValidationCases.ts';
import { type RawCalls, rawCalls } from '../testing/rawCalls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { define } from '../testing/widgets.ts';

let server: TestServer;
let raw: RawCalls;

const ports = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, hostPort: { type: 'integer' } },
  },
};
const embedded = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  properties: { data: { type: 'object', additionalProperties: { type: 'string' } } },
};
const version = (open: object) => ({
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        status: { type: 'object', properties: { replicas: { type: 'integer' } } },
        spec: {
          type: 'object',
          ...open,
          properties: {
            knownField1: { type: 'string' },
            replicas: { type: 'integer' },
            ports,
            embeddedObj: embedded,
            embeddedList: { type: 'array', items: embedded },
            embeddedMap: { type: 'object', additionalProperties: embedded },
          },
        },
      },
    },
  },
});

beforeAll(async () => {
  server = await startTestServer();
  raw = rawCalls(server);
  const calls = callsOver(async () => server.overHttp());
  await define(calls, { group: 'strict.example.com', versions: [version({})] });
  await define(calls, {
    group: 'open.example.com',
    versions: [version({ 'x-kubernetes-preserve-unknown-fields': true })],
  });
  const made = [
    [DEPLOYMENTS, deployment('patched')],
    [DEPLOYMENTS, deployment('replaced')],
    [WIDGETS, widget('strict.example.com/v1', 'patched')],
    [OPEN_WIDGETS, widget('open.example.com/v1', 'patched')],
    [MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'patched' } }],
  ] as const;
  for (const [path, object] of made) expect((await calls.post(path, object)).status).toBe(201);
});
afterAll(async () => {
  raw.close();
  await server.close();
});

const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: 'nginx' } },
    template: {
      metadata: { labels: { app: 'nginx' } },
      spec: { containers: [{ name: 'nginx', image: 'nginx:latest', imagePullPolicy: 'Always' }] },
    },
  },
});

const widget = (apiVersion: string, name: string) => ({
  apiVersion,
  kind: 'Widget',
  metadata: { name },
  spec: { ports: [{ name: 'x' }] },
});

let made = 0;
const send = ({ request: [method, path, contentType], body }: WireCase, fieldValidation?: string) =>
  raw.send(method, `${path}${fieldValidation ? `?fieldValidation=${fieldValidation}` : ''}`, {
    body: body.replaceAll('NAME', `n${made++}`),
    headers: { 'content-type': contentType },
  });

/** Keys given twice in YAML are one error; Go lists it before the others. */
function strictMessage(errors: readonly string[]): string {
  const lines = errors.filter((error) => error.startsWith('line '));
  const others = errors.slice(lines.length);
  const keys = lines.length > 0 ? [['yaml: unmarshal errors:', ...lines].join('\n  ')] : [];
  return `strict decoding error: ${[...keys, ...others].join(', ')}`;
}

describe('field validation finds all in', () => {
  it.each(fieldValidationCases.map((wireCase) => [wireCase.what, wireCase] as const))('%s', async (_, wireCase) => {
    const strict = await send(wireCase, 'Strict');
    const status = JSON.parse(strict.bytes.toString()) as Status;
    expect(status.message).toMatch(/cannot be handled as a|^ "" is invalid: patch: Invalid value: "/);
    expect(status.message?.slice(status.message.indexOf('strict decoding error'))).toBe(strictMessage(wireCase.errors));
    expect(strict.status).toBe(wireCase.request[0] === 'PATCH' ? 422 : 400);
    expect(strict.warnings).toEqual([]);
    for (const [mode, wanted] of [
      ['Warn', wireCase.errors],
      ['', wireCase.errors],
      ['Ignore', []],
    ] as const) {
      const { status: code, warnings, bytes } = await send(wireCase, mode);
      expect({ mode, code, warnings }, bytes.toString()).toEqual({
        mode,
        code: expect.toBeOneOf([200, 201]),
        warnings: wanted,
      });
    }
  });
});

it('of two fields with the same name the last one counts', async () => {
  const body = '{"metadata": {"name": "twice"}, "data": {"a": "1"}, "data": {"b": "2"}}';
  const { bytes } = await raw.send('POST', MAPS, { body, headers: { 'content-type': 'application/json' } });
  expect(JSON.parse(bytes.toString()).data).toEqual({ b: '2' });
});

describe('a refusal', () => {
  it('carries the warnings', async () => {
    const body = '{"metadata": {"name": "Not A Name"}, "façade": 1}';
    const { status, warnings } = await raw.send('POST', MAPS, {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect({ status, warnings }).toEqual({ status: 422, warnings: ['unknown field "façade"'] });
  });

  const refusal = async (path: string, body: string, contentType: string) => {
    const { status, bytes } = await raw.send('PATCH', `${path}?fieldValidation=Strict`, {
      body,
      headers: { 'content-type': contentType },
    });
    return { ...(JSON.parse(bytes.toString()) as Status), code: status };
  };

  it('of a merge patch shows what the object would have become', async () => {
    const { message, details, reason } = await refusal(
      `${MAPS}/patched`,
      '{"odd": 1, "data": {"b": "1", "a": "<"}}',
      'application/merge-patch+json',
    );
    expect(reason).toBe('Invalid');
    expect(message).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{\\"a\\":/,
    );
    expect(message).toMatch(/: strict decoding error: unknown field "odd"$/);
    expect(details?.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'patch',
        message: expect.stringMatching(/^Invalid value: .* unknown field "odd"$/),
      },
    ]);
  });

  it('of a strategic merge patch shows the patch', async () => {
    const { message } = await refusal(
      `${MAPS}/patched`,
      '{"odd": [1, {"a": null}], "data": {"b": "1"}}',
      'application/strategic-merge-patch+json',
    );
    expect(message).toBe(
      ' "" is invalid: patch: Invalid value: "map[data:map[b:1] odd:[1 map[a:<nil>]]]": strict decoding error: unknown field "odd"',
    );
  });
});

describe('a key given twice in a configuration to apply', () => {
  const apply = (path: string, body: string, fieldValidation: string) =>
    raw.send('PATCH', `${path}?fieldManager=test&fieldValidation=${fieldValidation}`, {
      body,
      headers: { 'content-type': 'application/apply-patch+yaml' },
    });
  const lines = ['line 4: key "knownField1" already set in map', 'line 5: key "replicas" already set in map'];

  it.each([
    [
      'JSON, for an object that is not there yet',
      `${WIDGETS}/applied`,
      '{"apiVersion": "strict.example.com/v1", "kind": "Widget",\n"metadata": {"name": "applied"},\n"spec": {"knownField1": "a",\n"knownField1": "b", "replicas": 1,\n"replicas": 2}}',
      lines,
    ],
    [
      'YAML, for an object that is there',
      `${WIDGETS}/applied`,
      '{apiVersion: strict.example.com/v1, kind: Widget,\nmetadata: {name: applied},\nspec: {knownField1: a,\n  knownField1: b, replicas: 1,\n  replicas: 2}}\n',
      lines,
    ],
    [
      'a scale',
      `${WIDGETS}/applied/scale`,
      '{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: applied},\nspec:\n{\nreplicas: 1,\nreplicas: 2}}\n',
      lines.slice(1),
    ],
  ])('is found in %s', async (_, path, body, wanted) => {
    const { status, bytes } = await apply(path, body, 'Strict');
    expect({ status, message: JSON.parse(bytes.toString()).message }).toEqual({
      status: 400,
      message: `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${wanted.join('\n  ')}`,
    });
    for (const mode of ['Warn', '']) expect((await apply(path, body, mode)).warnings).toEqual(wanted);
    expect(await apply(path, body, 'Ignore')).toMatchObject({ status: 200, warnings: [] });
  });
});

describe('an embedded object', () => {
  const create = async (embeddedObj: object) => {
    const body = JSON.stringify({ ...widget('strict.example.com/v1', `e${made++}`), spec: { embeddedObj } });
    const { status, bytes } = await raw.send('POST', WIDGETS, {
      body,
      headers: { 'content-type': 'application/json' },
    });
    return { status, body: JSON.parse(bytes.toString()) };
  };
  const good = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };

  it('keeps what metadata has', async () => {
    const metadata = { name: 'x', labels: { a: 'b' }, creationTimestamp: null, odd: 1 };
    const { status, body } = await create({ ...good, metadata });
    expect(status).toBe(201);
    expect(body.spec.embeddedObj).toEqual({ ...good, metadata: { name: 'x', labels: { a: 'b' } } });
  });

  it.each([
    [
      { ...good, kind: 1 },
      400,
      'Widget in version "v1" cannot be handled as a Widget: spec.embeddedObj.kind: Invalid value: 1: must be a string',
    ],
    [
      { ...good, metadata: { name: 1 } },
      400,
      'spec.embeddedObj.metadata: Invalid value: {"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    ],
    [{ metadata: {} }, 422, 'spec.embeddedObj.apiVersion: Required value, spec.embeddedObj.kind: Required value'],
    [{ ...good, apiVersion: '' }, 422, 'spec.embeddedObj.apiVersion: Invalid value: "": must not be empty'],
    [
      { ...good, apiVersion: 'a/b/c' },
      422,
      'spec.embeddedObj.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
    [
      { ...good, kind: 'a b' },
      422,
      'spec.embeddedObj.kind: Invalid value: "a b": may have mixed case, but should otherwise match: ',
    ],
    [{ ...good, metadata: { labels: { 'a b': '' } } }, 422, 'spec.embeddedObj.metadata.labels: Invalid value: "a b": '],
  ])('%j is refused with %d', async (embeddedObj, code, message) => {
    const { status, body } = await create(embeddedObj);
    expect(body.message).toContain(message);
    expect(status).toBe(code);
  });
});
