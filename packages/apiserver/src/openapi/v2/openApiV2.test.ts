import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BYTES, VARINT, WireReader } from '../../protobuf/wire.ts';
import { type Calls, callsOver } from '../../testing/calls.ts';
import { type RawCalls, rawCalls } from '../../testing/rawCalls.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { define } from '../../testing/widgets.ts';

let server: TestServer;
let raw: RawCalls;
let calls: Calls;
beforeAll(async () => {
  server = await startTestServer();
  raw = rawCalls(server);
  const transport = await server.overHttp();
  calls = callsOver(async () => transport);
});
afterAll(async () => {
  raw.close();
  await server.close();
});

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

interface OpenApiParameter {
  $ref?: string;
  name?: string;
  in?: string;
}
interface OpenApiOperation {
  operationId: string;
  parameters?: OpenApiParameter[];
  'x-kubernetes-action'?: string;
  'x-kubernetes-group-version-kind'?: object;
}
interface Definition {
  description?: string;
  type?: string;
  properties?: Record<string, Definition>;
  items?: Definition;
  additionalProperties?: Definition;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}
interface SwaggerDocument {
  swagger: string;
  info: { title: string };
  paths: Record<string, Record<string, OpenApiOperation> & { parameters?: OpenApiParameter[] }>;
  definitions: Record<string, Definition>;
  parameters: Record<string, OpenApiParameter>;
}

const get = (headers: Record<string, string> = {}) => raw.send('GET', '/openapi/v2', { headers });
const document = async (): Promise<SwaggerDocument> => JSON.parse((await get()).bytes.toString());

describe('/openapi/v2', () => {
  it.each([
    [undefined, 200, 'application/json'],
    ['*/*', 200, 'application/json'],
    ['application/*', 200, 'application/json'],
    ['application/json', 200, 'application/json'],
    ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', 200, PROTOBUF],
    [PROTOBUF, 200, PROTOBUF],
    [`${PROTOBUF}, application/json`, 200, PROTOBUF],
    [`${PROTOBUF};q=0.5, application/json;q=0.8`, 200, 'application/json'],
    [`text/html, ${PROTOBUF}`, 200, PROTOBUF],
    ['application/yaml', 406, undefined],
    ['application/json;q=0', 406, undefined],
    ['application/com.github.proto-openapi.spec.v3.v1.0+protobuf', 406, undefined],
  ])('answers %s with %d', async (accept, status, contentType) => {
    const response = await get(accept === undefined ? {} : { accept });
    expect(response.status).toBe(status);
    if (contentType) expect(response.headers['content-type']).toBe(contentType);
    expect(response.headers.vary).toBe('Accept-Encoding, Accept');
  });

  it('is not sent again to who has it', async () => {
    for (const accept of ['application/json', PROTOBUF]) {
      const { etag } = (await get({ accept })).headers;
      expect(etag).toMatch(/^"[0-9A-F]{64}"$/);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get({ accept, 'if-none-match': known as string });
        expect({ known, status: again.status, length: again.bytes.length }).toEqual({ known, status: 304, length: 0 });
      }
      expect((await get({ accept, 'if-none-match': '"OTHER"' })).status).toBe(200);
    }
  });

  it('is compressed for who can read that', async () => {
    const plain = await get();
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const coding of ['gzip', 'deflate, gzip;q=0.5']) {
      const { headers, bytes } = await get({ 'accept-encoding': coding });
      expect(headers['content-encoding']).toBe('gzip');
      expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
      expect(gunzipSync(bytes).equals(plain.bytes)).toBe(true);
    }
    expect((await get({ 'accept-encoding': 'gzip;q=0, br' })).headers['content-encoding']).toBeUndefined();
  });

  it('has every resource with its operations', async () => {
    const { swagger, info, paths } = await document();
    expect({ swagger, title: info.title }).toEqual({ swagger: '2.0', title: 'Kubernetes' });
    const actions = (path: string) => {
      const { parameters: _, ...methods } = paths[path] ?? {};
      return Object.entries(methods as Record<string, OpenApiOperation>).map(
        ([method, operation]) => `${method} ${operation['x-kubernetes-action']} ${operation.operationId}`,
      );
    };
    expect(actions('/api/v1/namespaces/{namespace}/pods')).toEqual([
      'get list listCoreV1NamespacedPod',
      'post post createCoreV1NamespacedPod',
      'delete deletecollection deleteCoreV1CollectionNamespacedPod',
    ]);
    expect(actions('/api/v1/namespaces/{namespace}/pods/{name}')).toEqual([
      'get get readCoreV1NamespacedPod',
      'put put replaceCoreV1NamespacedPod',
      'patch patch patchCoreV1NamespacedPod',
      'delete delete deleteCoreV1NamespacedPod',
    ]);
    expect(actions('/apis/apps/v1/deployments')).toEqual(['get list listAppsV1DeploymentForAllNamespaces']);
    expect(actions('/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale')).toContain(
      'patch patch patchAppsV1NamespacedDeploymentScale',
    );
    expect(actions('/api/v1/watch/namespaces/{namespace}/pods')).toEqual([
      'get watchlist watchCoreV1NamespacedPodList',
    ]);
    expect(actions('/api/v1/namespaces/{namespace}/pods/{name}/exec')).toContain(
      'get connect connectCoreV1GetNamespacedPodExec',
    );
    expect(actions('/apis/rbac.authorization.k8s.io/v1/clusterroles')).toContain(
      'post post createRbacAuthorizationV1ClusterRole',
    );
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/api/', '/api/v1/', '/apis/', '/apis/apps/', '/version/']),
    );
    const { patch } = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'] ?? {};
    expect(patch?.['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', version: 'v1', kind: 'Deployment' });
    // kubectl before 1.27 looks for these two, and follows no reference.
    expect(patch?.parameters?.map(({ name }) => name)).toEqual(expect.arrayContaining(['dryRun', 'fieldValidation']));
  });

  it('holds together', async () => {
    const { paths, definitions, parameters } = await document();
    const words = JSON.stringify({ paths, definitions, parameters });
    const known = new Set([
      ...Object.keys(definitions).map((name) => `#/definitions/${name}`),
      ...Object.keys(parameters).map((name) => `#/parameters/${name}`),
    ]);
    const references = new Set([...words.matchAll(/"\$ref":"([^"]+)"/g)].map(([, name]) => name as string));
    expect([...references].filter((name) => !known.has(name))).toEqual([]);
    expect([...known].filter((name) => !references.has(name) && !name.includes('List'))).toEqual([]);
    const keywords = new Set(Object.values(definitions).flatMap(keywordsOf));
    for (const word of ['default', 'allOf', 'anyOf', 'oneOf', 'not', 'nullable']) expect(keywords).not.toContain(word);
    const operations = Object.values(paths).flatMap(({ parameters: shared, ...methods }) =>
      Object.values(methods as Record<string, OpenApiOperation>),
    );
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    for (const [path, { parameters: shared = [] }] of Object.entries(paths)) {
      const inPath = shared
        .map(({ $ref, ...own }) => parameters[$ref?.replace('#/parameters/', '') ?? ''] ?? own)
        .filter((parameter) => parameter.in === 'path');
      const braces = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect({ path, names: inPath.map(({ name }) => name).sort() }).toEqual({ path, names: braces.sort() });
    }
  });

  it('says the same in protobuf', async () => {
    const { definitions, paths } = await document();
    const fields = fieldsOf((await get({ accept: PROTOBUF })).bytes);
    expect(text(fields.get(1)?.[0])).toBe('2.0');
    const named = new Map((bytesOf(fields, 9, 1) ?? []).map(namedOf));
    expect([...named.keys()]).toEqual(Object.keys(definitions));
    for (const [name, bytes] of named) {
      const { description = '', properties, type } = definitions[name] as Definition;
      const schema = fieldsOf(bytes);
      expect({
        name,
        description: text(schema.get(4)?.[0]),
        type: text(bytesOf(schema, 22, 1)?.[0]) || undefined,
        properties: bytesOf(schema, 25, 1)?.map((entry) => namedOf(entry)[0]),
      }).toEqual({ name, description, type, properties: properties && Object.keys(properties) });
    }
    const extensions = fieldsOf(named.get('io.k8s.api.apps.v1.Deployment') as Buffer).get(31) as Buffer[];
    const [extension, value] = namedOf(extensions[0] as Buffer);
    expect([extension, text(fieldsOf(value).get(2)?.[0])]).toEqual([
      'x-kubernetes-group-version-kind',
      '- group: apps\n  version: v1\n  kind: Deployment\n',
    ]);
    expect((bytesOf(fields, 8, 2) ?? []).map((entry) => namedOf(entry)[0])).toEqual(Object.keys(paths));
  });

  it('follows the definitions of custom resources', async () => {
    const name = 'com.example.followed.v1.Widget';
    const path = '/apis/followed.example.com/v1/namespaces/{namespace}/widgets/{name}';
    const version = (properties: object) => ({ schema: { openAPIV3Schema: { type: 'object', properties } } });
    const before = await get();
    const crd = await define(calls, {
      group: 'followed.example.com',
      versions: [
        {
          ...version({ size: { type: 'integer' } }),
          subresources: { status: {} },
          selectableFields: [{ jsonPath: '.size' }],
        },
      ],
    });
    const made = await document();
    expect(made.definitions[name]).toEqual({
      type: 'object',
      properties: {
        apiVersion: expect.objectContaining({ type: 'string' }),
        kind: expect.objectContaining({ type: 'string' }),
        metadata: expect.objectContaining({ $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }),
        size: { type: 'integer' },
      },
      'x-kubernetes-group-version-kind': [{ group: 'followed.example.com', version: 'v1', kind: 'Widget' }],
      'x-kubernetes-selectable-fields': [{ fieldPath: 'size' }],
    });
    expect(made.definitions[`${name}List`]?.['x-kubernetes-group-version-kind']?.[0]?.kind).toBe('WidgetList');
    expect(Object.keys(made.paths)).toEqual(expect.arrayContaining([path, `${path}/status`]));
    expect((await get()).headers.etag).not.toBe(before.headers.etag);

    const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
    await calls.patch(definition, 'json', [
      { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/colour', value: { type: 'string' } },
      { op: 'add', path: '/spec/versions/-', value: { name: 'v2', served: true, storage: false, ...version({}) } },
    ]);
    await vi.waitFor(async () => {
      const { definitions } = await document();
      expect(definitions[name]?.properties).toHaveProperty('colour');
      expect(definitions).toHaveProperty(['com.example.followed.v2.Widget']);
    });

    await calls.patch(definition, 'json', [{ op: 'replace', path: '/spec/versions/1/served', value: false }]);
    await vi.waitFor(async () =>
      expect((await document()).definitions).not.toHaveProperty(['com.example.followed.v2.Widget']),
    );

    await calls.delete(definition);
    await vi.waitFor(async () => expect((await get()).headers.etag).toBe(before.headers.etag));
  });
});

function keywordsOf(schema: Definition): string[] {
  const { properties = {}, items, additionalProperties } = schema;
  const below = [...Object.values(properties), items, additionalProperties].filter((child) => child !== undefined);
  return [...Object.keys(schema), ...below.flatMap(keywordsOf)];
}

/** The fields of a message by number; numbers as texts. */
function fieldsOf(bytes: Buffer): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const { field, wireType } = reader.tag();
    if (wireType !== BYTES && wireType !== VARINT) reader.skip(wireType);
    else
      fields.set(field, [
        ...(fields.get(field) ?? []),
        wireType === BYTES ? reader.bytes() : Buffer.from(`${reader.varint()}`),
      ]);
  }
  return fields;
}

/** A field of a message within a message. */
function bytesOf(fields: Map<number, Buffer[]>, outer: number, inner: number): Buffer[] | undefined {
  const [found] = fields.get(outer) ?? [];
  return found && (fieldsOf(found).get(inner) ?? []);
}

function namedOf(bytes: Buffer): [string, Buffer] {
  const fields = fieldsOf(bytes);
  return [text(fields.get(1)?.[0]), fields.get(2)?.[0] as Buffer];
}

const text = (bytes: Buffer | undefined): string => bytes?.toString() ?? '';
