import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';
import { DIALECTS } from './dialects.ts';
import { methodsOf } from './methods.ts';
import { openApiDocument } from './openApi.ts';
import { canSucceed, successOf } from './responses.ts';
import { ACTIONS } from './table.ts';

interface Operation {
  readonly operationId?: string;
  readonly responses?: Readonly<Record<string, { readonly description: string; readonly content?: object }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

const documentOf = (groupVersion: string): Document =>
  openApiDocument(ACTIONS, `/openapi/v3/apis/${groupVersion}`) as unknown as Document;

describe('the document of a group', () => {
  it('has every action with its methods, its input and its refusals', () => {
    const { paths, components } = documentOf('subresources.harvesterhci.io/v1beta1');
    const root = '/apis/subresources.harvesterhci.io/v1beta1';
    const refused = {
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Status' } },
      },
    };
    expect(paths[`${root}/namespaces/{namespace}/virtualmachines/{name}/addVolume`]).toMatchObject({
      parameters: [
        { name: 'namespace', in: 'path' },
        { name: 'name', in: 'path' },
      ],
      post: {
        operationId: 'createHarvesterhciVirtualmachinesAddVolume',
        'x-kubernetes-action': 'post',
        'x-kubernetes-group-version-kind': { group: 'kubevirt.io', version: 'v1', kind: 'VirtualMachine' },
        requestBody: {
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/io.harvesterhci.v1beta1.AddVolumeInput' } },
          },
        },
        responses: { 403: refused, 404: refused, 409: refused },
      },
      put: { 'x-kubernetes-action': 'put' },
    });
    expect(paths[`${root}/nodes/{name}/enableCPUManager`]).toMatchObject({ parameters: [{ name: 'name' }] });
    expect(components.schemas['io.harvesterhci.v1beta1.AddVolumeInput']).toMatchObject({
      required: ['diskName', 'volumeSourceName'],
    });
    expect(Object.keys(paths)).toHaveLength(ACTIONS.filter(({ group }) => group.includes('harvester')).length);
  });

  it('has the parameters of queries', () => {
    const { paths } = documentOf('subresources.kubevirt.io/v1');
    const file = '/apis/subresources.kubevirt.io/v1/namespaces/{namespace}/virtualmachineinstances/{name}/file';
    expect(paths[file]).toMatchObject({
      get: {
        parameters: [
          { name: 'path', in: 'query', required: true, schema: { type: 'string' } },
          { name: 'offset', in: 'query', required: false, schema: { type: 'integer' } },
        ],
      },
      put: { parameters: [{ name: 'dryRun' }] },
    });
  });

  it('tells of what is no action: which version is served, and which image virtctl guestfs takes', () => {
    const { paths } = documentOf('subresources.kubevirt.io/v1');
    for (const name of ['guestfs', 'version'])
      expect(paths[`/apis/subresources.kubevirt.io/v1/${name}`]).toMatchObject({
        get: { 'x-kubernetes-action': 'get' },
      });
  });

  it.each(ACTIONS.map((action) => [`${action.group} ${action.resource}/${action.name}`, action] as const))(
    'has what %s answers and refuses with',
    (_, action) => {
      const { paths } = documentOf(`${action.group}/${DIALECTS[action.group].versions[0]}`);
      const tail = (action.parameters ?? []).map((parameter) => `/{${parameter.replace('?', '')}}`).join('');
      const [, operations = {}] =
        Object.entries(paths).find(([path]) => path.endsWith(`/${action.resource}/{name}/${action.name}${tail}`)) ?? [];
      for (const method of methodsOf(action)) {
        const { responses = {} } = operations[method.toLowerCase()] ?? {};
        const codes = Object.keys(responses).map(Number);
        expect(codes).toEqual(expect.arrayContaining([400, 401, 403, 404, 409, 422, 500]));
        const done = codes.filter((code) => code < 400);
        expect(done).toEqual(canSucceed(action) ? [successOf(action).status] : []);
        if (action.isNotImplemented) expect(codes).toContain(501);
        for (const [code, { description, content }] of Object.entries(responses)) {
          expect(description).toMatch(/\w+\.$/);
          if (Number(code) >= 400) expect(JSON.stringify(content)).toContain('meta.v1.Status"');
          else if (method === 'GET' && Number(code) === 200) expect(JSON.stringify(content)).toContain('"schema":{');
        }
      }
    },
  );

  it('says of KubeVirt’s actions what its clients expect', () => {
    const own = ACTIONS.filter((action) => action.group === 'subresources.kubevirt.io' && canSucceed(action));
    const named = (status: number) => own.filter((each) => successOf(each).status === status).map(({ name }) => name);
    expect(named(202)).toEqual(expect.arrayContaining(['start', 'stop', 'restart', 'memorydump', 'addvolume']));
    expect(named(200)).toEqual(expect.arrayContaining(['pause', 'freeze', 'softreboot', 'reset', 'guestosinfo']));
    expect(named(101)).toEqual(expect.arrayContaining(['console', 'vnc', 'portforward', 'usbredir']));
    expect(named(204)).toEqual([]);
  });

  it.each(['subresources.kubevirt.io/v1', 'subresources.kubevirt.io/v1alpha3', 'subresources.harvesterhci.io/v1beta1'])(
    '%s refers to nothing that it lacks, and names no operation twice',
    (groupVersion) => {
      const document = documentOf(groupVersion);
      const references = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g)].map(
        ([, name]) => name,
      );
      expect(references.filter((name) => !Object.hasOwn(document.components.schemas, name ?? ''))).toEqual([]);
      const ids = Object.values(document.paths).flatMap((path) =>
        Object.values(path).flatMap(({ operationId }) => operationId ?? []),
      );
      expect(ids).toEqual([...new Set(ids)]);
      expect(ids.length).toBeGreaterThan(0);
    },
  );
});

describe('the documents of a server', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await install();
  });
  afterAll(() => installation?.close());

  it('are found from its index, with a hash', async () => {
    const transport = await installation.server.overHttp();
    // A server elsewhere is asked in the background.
    const paths = await vi.waitFor(async () => {
      const { body } = await transport.call({ method: 'GET', path: '/openapi/v3' });
      const found = (body as { paths: Record<string, { serverRelativeURL: string }> }).paths;
      expect(found).toHaveProperty(['apis/subresources.harvesterhci.io/v1beta1']);
      return found;
    });
    const url = paths['apis/subresources.harvesterhci.io/v1beta1']?.serverRelativeURL ?? '';
    expect(url).toMatch(/^\/openapi\/v3\/apis\/subresources\.harvesterhci\.io\/v1beta1\?hash=[0-9A-F]{32}$/);
    expect(paths).toHaveProperty(['apis/subresources.kubevirt.io/v1alpha3']);
    expect(paths).toHaveProperty(['api/v1']);
    const [path = ''] = url.split('?');
    const response = await transport.call({ method: 'GET', path });
    expect(response).toMatchObject({ status: 200, body: { openapi: '3.0.0' } });
  });
});
