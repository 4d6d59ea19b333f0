import { describe, expect, it } from 'vitest';
import { serverOfFile } from '../testing/calls.ts';
import { define } from '../testing/widgets.ts';

const calls = serverOfFile();
const { get, patch } = calls;

interface Operation {
  'x-kubernetes-group-version-kind'?: unknown;
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, unknown> };
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

async function index(): Promise<Record<string, { serverRelativeURL: string }>> {
  return ((await get('/openapi/v3')).body as unknown as { paths: Record<string, { serverRelativeURL: string }> }).paths;
}

async function document(groupVersion: string) {
  const [path = '', query = ''] = ((await index())[groupVersion]?.serverRelativeURL ?? '').split('?');
  const { status, headers, body } = await get(path, { query: Object.fromEntries(new URLSearchParams(query)) });
  expect(status).toBe(200);
  return { headers, body: body as unknown as Document };
}

/** Every `$ref` anywhere. */
function references(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, child] of Object.entries(value)) {
    if (key === '$ref' && typeof child === 'string') found.add(child);
    else references(child, found);
  }
  return found;
}

describe('OpenAPI', () => {
  it('has an index with a hash a document', async () => {
    const paths = await index();
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/apiextensions.k8s.io/v1']),
    );
    expect(paths['api/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]+$/);
  });

  it('may be kept as long as the hash is the same', async () => {
    expect((await document('api/v1')).headers['cache-control']).toBe('public, immutable');
    const other = await get('/openapi/v3/api/v1', { query: { hash: 'OTHER' } });
    expect(other.headers['cache-control']).toBe('public');
    expect((await get('/openapi/v3/apis/nothing.example/v1')).status).toBe(404);
  });

  it('refers to nothing that is not there, in any document', async () => {
    for (const groupVersion of Object.keys(await index())) {
      const { body } = await document(groupVersion);
      const missing = [...references(body)].filter(
        (reference) => !(reference.replace('#/components/schemas/', '') in body.components.schemas),
      );
      expect({ groupVersion, missing }).toEqual({ groupVersion, missing: [] });
    }
  });

  it('has the operation by which kubectl knows that the server validates', async () => {
    const { paths } = (await document('apis/apps/v1')).body;
    const operation = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch;
    expect(operation?.['x-kubernetes-group-version-kind']).toEqual({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
    });
    expect(operation?.parameters?.map(({ name }) => name)).toContain('fieldValidation');
    expect(Object.keys(operation?.requestBody?.content ?? {})).toContain('application/strategic-merge-patch+json');
  });

  it('says of which kind a schema is', async () => {
    const { schemas } = (await document('api/v1')).body.components;
    expect(schemas['io.k8s.api.core.v1.Pod']?.['x-kubernetes-group-version-kind']).toEqual([
      { group: '', version: 'v1', kind: 'Pod' },
    ]);
  });

  it('follows the definitions of custom resources', async () => {
    const version = (properties: object) => ({ schema: { openAPIV3Schema: { type: 'object', properties } } });
    const crd = await define(calls, {
      group: 'documented.example.com',
      versions: [version({ spec: { type: 'object', properties: { size: { type: 'integer' } } } })],
    });
    const before = (await index())['apis/documented.example.com/v1']?.serverRelativeURL;
    const { schemas } = (await document('apis/documented.example.com/v1')).body.components;
    expect(schemas['com.example.documented.v1.Widget']).toMatchObject({
      properties: { spec: { properties: { size: { type: 'integer' } } }, metadata: expect.anything() },
      'x-kubernetes-group-version-kind': [{ group: 'documented.example.com', version: 'v1', kind: 'Widget' }],
    });
    await patch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`, 'json', [
      { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/colour', value: { type: 'string' } },
    ]);
    const after = await document('apis/documented.example.com/v1');
    expect((await index())['apis/documented.example.com/v1']?.serverRelativeURL).not.toBe(before);
    expect(after.body.components.schemas['com.example.documented.v1.Widget']).toMatchObject({
      properties: { colour: { type: 'string' } },
    });
  });
});
