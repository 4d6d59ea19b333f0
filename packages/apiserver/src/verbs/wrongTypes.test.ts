import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOver } from '../testing/calls.ts';
import { type RawCalls, rawCalls } from '../testing/rawCalls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { define } from '../testing/widgets.ts';

let server: TestServer;
let raw: RawCalls;
const GROUP = 'types.example.com';
const WIDGETS = `/apis/${GROUP}/v1/namespaces/default/widgets`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const HEAD = `"apiVersion":"${GROUP}/v1","kind":"Widget"`;

beforeAll(async () => {
  server = await startTestServer();
  const transport = await server.overHttp();
  const calls = callsOver(async () => transport);
  await define(calls, { group: GROUP });
  await calls.post(WIDGETS, { metadata: { name: 'w' } });
  raw = rawCalls(server);
});
afterAll(async () => {
  raw.close();
  await server.close();
});

/** Status and message of the response, and its warnings. */
async function said(method: string, path: string, body: string, type = 'application/json'): Promise<string[]> {
  const response = await raw.send(method, path, { body, headers: { 'content-type': type } });
  const { message = '' } = JSON.parse(response.bytes.toString()) as { message?: string };
  return [`${response.status} ${message}`.trim(), ...response.warnings];
}

const STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const unrecognized = (why: string, kind = 'Widget'): string =>
  `400 the object provided is unrecognized (must be of type ${kind}): ${why}`;
const parse = "couldn't get version/kind; json parse error:";

describe('a body that is no object of the kind, as Kubernetes says it', () => {
  it.each<[string, string, ...string[]]>([
    ['', unrecognized(`${parse} unexpected end of JSON input (<empty>)`)],
    ['[]', unrecognized(`${parse} json: cannot unmarshal array into Go value of type ${STRUCT} (5b5d)`)],
    ['1', unrecognized(`${parse} json: cannot unmarshal number into Go value of type ${STRUCT} (31)`)],
    ['null', unrecognized("Object 'Kind' is missing in 'null' (6e756c6c)")],
    ['{}', unrecognized("Object 'Kind' is missing in '{}' ({})")],
    [
      '{"apiVersion":1}',
      unrecognized(
        `${parse} json: cannot unmarshal number into Go struct field .apiVersion of type string ({"apiVersion":1})`,
      ),
    ],
    ['{"kind":"Widget"}', `400 the API version in the data () does not match the expected API version (${GROUP}/v1)`],
    [
      `{"apiVersion":"${GROUP}/v2","kind":"Widget"}`,
      `400 the API version in the data (${GROUP}/v2) does not match the expected API version (${GROUP}/v1)`,
    ],
    [
      '{"apiVersion":"a/b/c","kind":"X"}',
      unrecognized('unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)'),
    ],
    [
      `{"apiVersion":"${GROUP}/v1","kind":"Other","metadata":{"name":"o"}}`,
      `422 Other.${GROUP} "o" is invalid: kind: Invalid value: "Other": must be Widget`,
    ],
    [
      `{${HEAD},"metadata":{"name":"f","finalizers":["a","b.c","d/e"]}}`,
      '201',
      'metadata.finalizers: "a": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
      'metadata.finalizers: "b.c": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ],
  ])('%s', async (body, ...expected) => {
    expect(await said('POST', WIDGETS, body)).toEqual(expected);
  });

  it.each([
    ['an empty YAML', WIDGETS, '', unrecognized("Object 'Kind' is missing in '' (<empty>)")],
    [
      'null for a built-in kind',
      MAPS,
      'null',
      '422 ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
  ])('%s', async (_, path, body, expected) => {
    expect(await said('POST', path, body, 'application/yaml')).toEqual([expected]);
  });
});

describe('a patch that leaves something else', () => {
  it.each([
    ['null', '400 Invalid JSON Patch'],
    ['', '400 error decoding patch: unexpected end of JSON input'],
    ['{"kind":"Other"}', `422 Other.${GROUP} "w" is invalid: kind: Invalid value: "Other": must be Widget`],
    [
      `{"apiVersion":"${GROUP}/v2"}`,
      `422 Widget.${GROUP} "w" is invalid: apiVersion: Invalid value: "${GROUP}/v2": must be ${GROUP}/v1`,
    ],
    [
      '{"metadata":{"uid":"x"}}',
      `422 Widget.${GROUP} "w" is invalid: metadata.uid: Invalid value: "x": field is immutable`,
    ],
    [
      '{"metadata":{"resourceVersion":null}}',
      `422 widgets.${GROUP} "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    ],
    [
      '{"metadata":{"namespace":"other"}}',
      '400 the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('%s', async (body, expected) => {
    expect(await said('PATCH', `${WIDGETS}/w`, body, 'application/merge-patch+json')).toEqual([expected]);
  });

  it('of no kind shows what it leaves', async () => {
    const [message] = await said(
      'PATCH',
      `${WIDGETS}/w`,
      '[{"op":"replace","path":"","value":{}}]',
      'application/json-patch+json',
    );
    expect(message).toBe(`422  "" is invalid: patch: Invalid value: "{}": Object 'Kind' is missing in '{}'`);
  });
});
