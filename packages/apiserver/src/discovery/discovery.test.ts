import { describe, expect, it } from 'vitest';
import { type CallResponse, serverOfFile } from '../testing/calls.ts';
import { define } from '../testing/widgets.ts';

const calls = serverOfFile();
const { get, delete: remove, server } = calls;

interface Group {
  metadata: { name?: string };
  versions: {
    version: string;
    freshness: string;
    resources: { resource: string; scope: string; verbs: string[]; subresources?: { subresource: string }[] }[];
  }[];
}

const aggregated = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const groups = ({ body }: CallResponse): Group[] => body.items as unknown as Group[];

describe('aggregated discovery', () => {
  it.each(['v2', 'v2beta1'])('in %s says so in its content type', async (version) => {
    for (const path of ['/api', '/apis']) {
      const { status, headers, body } = await get(path, { accept: `${aggregated(version)},application/json` });
      expect(status).toBe(200);
      expect(headers['content-type']).toBe(aggregated(version));
      expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}` });
    }
  });

  it('prefers what the client names first', async () => {
    const { headers } = await get('/apis', { accept: `${aggregated('v2')},${aggregated('v2beta1')},application/json` });
    expect(headers['content-type']).toBe(aggregated('v2'));
  });

  it('puts subresources below their resource', async () => {
    const [core] = groups(await get('/api', { accept: aggregated('v2') }));
    expect(core?.metadata.name).toBeUndefined();
    const pods = core?.versions[0]?.resources.find(({ resource }) => resource === 'pods');
    expect(pods).toMatchObject({ scope: 'Namespaced', verbs: expect.arrayContaining(['deletecollection', 'watch']) });
    expect(pods?.subresources?.map(({ subresource }) => subresource)).toEqual(
      expect.arrayContaining(['binding', 'eviction', 'log', 'status']),
    );
  });

  it('is not sent again to those who have it', async () => {
    const path = '/apis';
    const accept = aggregated('v2');
    const { etag = '' } = (await get(path, { accept })).headers;
    expect(etag).toMatch(/^"[0-9A-F]+"$/);
    // The transport has no headers of its own; what it sends is what the server makes of it in process.
    const request = { method: 'GET', path, query: new URLSearchParams(), body: async () => undefined };
    const ask = (headers: Record<string, string>) =>
      server().server.api.handle({
        ...request,
        headers,
        user: { username: 'x', groups: ['system:masters'] },
        signal: new AbortController().signal,
      });
    expect((await ask({ accept, 'if-none-match': etag })).status).toBe(304);
    expect((await ask({ accept, 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ask({ accept: aggregated('v2beta1'), 'if-none-match': etag })).status).toBe(200);
  });
});

describe('legacy discovery', () => {
  it('goes from the root to the resources', async () => {
    expect((await get('/api')).body).toMatchObject({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: `127.0.0.1:${server().server.port}` }],
    });
    const list = (await get('/apis')).body as unknown as { kind: string; groups: { name: string }[] };
    expect(list.kind).toBe('APIGroupList');
    expect(list.groups.map(({ name }) => name)).toEqual(expect.arrayContaining(['apps', 'apiextensions.k8s.io']));
    expect((await get('/apis/autoscaling')).body).toMatchObject({
      kind: 'APIGroup',
      name: 'autoscaling',
      preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
    });
    const { resources } = (await get('/apis/apps/v1')).body as unknown as {
      resources: { name: string; kind: string }[];
    };
    expect(resources).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'deployments',
          kind: 'Deployment',
          shortNames: ['deploy'],
          categories: ['all'],
        }),
        expect.objectContaining({ name: 'deployments/scale', kind: 'Scale', group: 'autoscaling', version: 'v1' }),
        expect.objectContaining({ name: 'deployments/status', kind: 'Deployment', verbs: ['get', 'patch', 'update'] }),
      ]),
    );
  });

  it('says in which version objects are stored, by a hash', async () => {
    const { resources } = (await get('/api/v1')).body as unknown as {
      resources: { name: string; storageVersionHash?: string }[];
    };
    const hashOf = (name: string) => resources.find((resource) => resource.name === name)?.storageVersionHash;
    expect([hashOf('pods'), hashOf('pods/status')]).toEqual(['xPOwRZ+Yhw8=', undefined]);
  });

  it.each(['/apis/nothing.example', '/apis/apps/v9', '/api/v9'])('%s is 404', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('lists the paths of the server', async () => {
    const { paths } = (await get('/')).body as unknown as { paths: string[] };
    expect(paths).toEqual(
      expect.arrayContaining(['/api', '/api/v1', '/apis/apps/v1', '/healthz', '/openapi/v3', '/version']),
    );
  });
});

describe('custom resources', () => {
  const names = async (): Promise<(string | undefined)[]> =>
    groups(await get('/apis', { accept: aggregated('v2') })).map(({ metadata }) => metadata.name);

  it('appear and vanish with their definition', async () => {
    expect(await names()).not.toContain('found.example.com');
    await define(calls, {
      group: 'found.example.com',
      names: { shortNames: ['wd'], categories: ['all'] },
      versions: [{ name: 'v1beta1' }, { name: 'v1' }, { name: 'v2alpha1' }],
    });
    expect(await names()).toContain('found.example.com');
    const { versions } = (await get('/apis/found.example.com')).body as unknown as { versions: { version: string }[] };
    expect(versions.map(({ version }) => version)).toEqual(['v1', 'v1beta1', 'v2alpha1']);
    expect((await get('/apis/found.example.com/v1')).body).toMatchObject({
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          shortNames: ['wd'],
          categories: ['all'],
          namespaced: true,
          storageVersionHash: expect.stringMatching(/^.{11}=$/),
        },
      ],
    });
    await remove('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.found.example.com');
    while ((await names()).includes('found.example.com')) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await get('/apis/found.example.com/v1')).status).toBe(404);
  });
});
