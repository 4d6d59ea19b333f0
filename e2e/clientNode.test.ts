import {
  ApiException,
  ApiextensionsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  Watch,
} from '@kubernetes/client-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { vireo } = useCluster();

const namespace = 'default';
let config: KubeConfig;
let core: CoreV1Api;

beforeAll(() => {
  config = new KubeConfig();
  config.loadFromFile(vireo().kubeconfig);
  core = config.makeApiClient(CoreV1Api);
});

const make = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels }, data } });

describe('@kubernetes/client-node', () => {
  it('creates, reads, lists and deletes', async () => {
    const made = await make('first', { a: '1' }, { test: 'crud' });
    expect(made.metadata).toMatchObject({ name: 'first', namespace, uid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    expect((await core.readNamespacedConfigMap({ name: 'first', namespace })).data).toEqual({ a: '1' });
    const list = await core.listNamespacedConfigMap({ namespace, labelSelector: 'test=crud' });
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(['first']);
    await core.deleteNamespacedConfigMap({ name: 'first', namespace });
    const refusal = await core.readNamespacedConfigMap({ name: 'first', namespace }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiException);
    expect((refusal as ApiException<string>).code).toBe(404);
  });

  it('reads a list page by page', async () => {
    await Promise.all(['p1', 'p2', 'p3'].map((name) => make(name, {}, { test: 'pages' })));
    const names: (string | undefined)[] = [];
    let next: string | undefined;
    do {
      const page = await core.listNamespacedConfigMap({
        namespace,
        labelSelector: 'test=pages',
        limit: 2,
        _continue: next,
      });
      names.push(...page.items.map(({ metadata }) => metadata?.name));
      next = page.metadata?._continue;
    } while (next);
    expect(names).toEqual(['p1', 'p2', 'p3']);
  });

  it.each([
    [PatchStrategy.MergePatch, { data: { b: '2' } }],
    [PatchStrategy.StrategicMergePatch, { data: { b: '2' } }],
    [PatchStrategy.JsonPatch, [{ op: 'add', path: '/data/b', value: '2' }]],
  ])('patches with %s', async (strategy, body) => {
    const name = `patched-${strategy.replaceAll(/[^a-z]+/g, '-')}`;
    await make(name, { a: '1' });
    const patched = await core.patchNamespacedConfigMap(
      { name, namespace, body },
      setHeaderOptions('Content-Type', strategy),
    );
    expect(patched.data).toEqual({ a: '1', b: '2' });
  });

  it('replaces, and is told of a conflict', async () => {
    const first = await make('replaced', { a: '1' });
    await core.replaceNamespacedConfigMap({ name: 'replaced', namespace, body: { ...first, data: { a: '2' } } });
    const refusal = await core
      .replaceNamespacedConfigMap({ name: 'replaced', namespace, body: { ...first, data: { a: '3' } } })
      .catch((error: unknown) => error);
    expect((refusal as ApiException<string>).code).toBe(409);
    expect(JSON.parse((refusal as ApiException<string>).body)).toMatchObject({ reason: 'Conflict' });
  });

  it('watches from a version on', async () => {
    const { metadata } = await core.listNamespacedConfigMap({ namespace });
    const seen: string[] = [];
    const done = Promise.withResolvers<void>();
    const stop = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/configmaps`,
      { resourceVersion: metadata?.resourceVersion, labelSelector: 'test=watch' },
      (type, object: V1ConfigMap) => {
        seen.push(`${type} ${object.metadata?.name}`);
        if (type === 'DELETED') done.resolve();
      },
      (error) => done.reject(error),
    );
    await make('watched', {}, { test: 'watch' });
    await core.patchNamespacedConfigMap(
      { name: 'watched', namespace, body: { data: { a: '1' } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    await core.deleteNamespacedConfigMap({ name: 'watched', namespace });
    await done.promise;
    expect(seen).toEqual(['ADDED watched', 'MODIFIED watched', 'DELETED watched']);
    stop.abort();
  });

  it('keeps an informer in step', async () => {
    await make('informed', {}, { test: 'informer' });
    const labelSelector = 'test=informer';
    const informer = makeInformer(
      config,
      `/api/v1/namespaces/${namespace}/configmaps`,
      () => core.listNamespacedConfigMap({ namespace, labelSelector }),
      labelSelector,
    );
    const once = (event: 'add' | 'update' | 'delete', name: string) =>
      new Promise<void>((resolve) => {
        informer.on(event, (object) => object.metadata?.name === name && resolve());
      });
    const added = once('add', 'informed');
    await informer.start();
    await added;
    const second = once('add', 'later');
    await make('later', {}, { test: 'informer' });
    await second;
    const gone = once('delete', 'informed');
    await core.deleteNamespacedConfigMap({ name: 'informed', namespace });
    await gone;
    expect(informer.list(namespace).map(({ metadata }) => metadata?.name)).toEqual(['later']);
    await informer.stop();
  });

  it('applies on the server, is told whose a field is, and takes it by force', async () => {
    const generic = KubernetesObjectApi.makeApiClient(config);
    const apply = (manager: string, color: string, force = false) =>
      generic.patch(
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'applied', namespace },
          data: { color },
        } as V1ConfigMap,
        undefined,
        undefined,
        manager,
        force,
        PatchStrategy.ServerSideApply,
      );
    const made = await apply('one', 'red');
    expect(made.metadata?.managedFields).toMatchObject([{ manager: 'one', operation: 'Apply' }]);
    const refusal = await apply('two', 'blue').catch((error: unknown) => error);
    expect((refusal as ApiException<string>).code).toBe(409);
    expect((refusal as ApiException<string>).body).toContain('conflict with \\"one\\": .data.color');
    expect(((await apply('two', 'blue', true)) as V1ConfigMap).data).toEqual({ color: 'blue' });
  });

  it('works with custom resources', async () => {
    await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({
      body: {
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'widgets', kind: 'Widget' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: { spec: { type: 'object', properties: { size: { type: 'integer', _default: 3 } } } },
                },
              },
            },
          ],
        },
      },
    });
    const custom = config.makeApiClient(CustomObjectsApi);
    const widgets = { group: 'example.com', version: 'v1', namespace, plural: 'widgets' };
    const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: {} };
    // The definition is established a moment after it was made.
    let made: unknown;
    while (made === undefined) {
      made = await custom.createNamespacedCustomObject({ ...widgets, body }).catch((error: ApiException<string>) => {
        if (error.code !== 404) throw error;
      });
    }
    expect(made).toMatchObject({ spec: { size: 3 } });
    const generic = KubernetesObjectApi.makeApiClient(config);
    const patch = { ...body, metadata: { name: 'w', namespace }, spec: { size: 5 } };
    expect(
      await generic.patch(patch, undefined, undefined, undefined, undefined, PatchStrategy.MergePatch),
    ).toMatchObject({ spec: { size: 5 } });
  });
});
