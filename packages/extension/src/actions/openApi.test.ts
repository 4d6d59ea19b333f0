import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';
import { openApiDocument } from './openApi.ts';
import { ACTIONS } from './table.ts';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>>;
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

  it('tells of what is no action: which version is served, and which image virtctl guestfs takes', () => {
    const { paths } = documentOf('subresources.kubevirt.io/v1');
    for (const name of ['guestfs', 'version'])
      expect(paths[`/apis/subresources.kubevirt.io/v1/${name}`]).toMatchObject({
        get: { 'x-kubernetes-action': 'get' },
      });
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
    const { body } = await transport.call({ method: 'GET', path: '/openapi/v3' });
    const { paths } = body as { paths: Record<string, { serverRelativeURL: string }> };
    const url = paths['apis/subresources.harvesterhci.io/v1beta1']?.serverRelativeURL ?? '';
    expect(url).toMatch(/^\/openapi\/v3\/apis\/subresources\.harvesterhci\.io\/v1beta1\?hash=[0-9A-F]{32}$/);
    expect(paths).toHaveProperty(['apis/subresources.kubevirt.io/v1alpha3']);
    expect(paths).toHaveProperty(['api/v1']);
    const [path = ''] = url.split('?');
    const answer = await transport.call({ method: 'GET', path });
    expect(answer).toMatchObject({ status: 200, body: { openapi: '3.0.0' } });
  });
});
