import {
  ClusterRole,
  ConfigMap,
  CustomResourceDefinition,
  Event,
  type KubeObject,
  type OwnerReference,
} from '@vireo/api';
import type { ResourceRef } from '@vireo/kube';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { startCrdController } from '../crd/index.ts';
import { GARBAGE_COLLECTOR_USER, startGarbageCollector } from './index.ts';

let test: TestServer;
const maps = () => test.admin.of(ConfigMap);
const refTo = ({ apiVersion, kind, metadata }: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  ...more,
});
const make = (name: string, ownerReferences: OwnerReference[] = [], metadata: object = {}) =>
  maps().create({ metadata: { name, namespace: 'default', ownerReferences, ...metadata } });
const get = (name: string) => maps().get(name, { namespace: 'default' });
const remove = (name: string, propagationPolicy?: 'Orphan' | 'Background' | 'Foreground') =>
  maps().delete(name, { namespace: 'default', propagationPolicy });

beforeEach(async () => {
  test = await startServerInMemory();
  test.start(GARBAGE_COLLECTOR_USER, startGarbageCollector);
});
afterEach(() => test.stop());

describe('the garbage collector', () => {
  it('removes a whole tree behind its root', async () => {
    const root = await make('root');
    const child = await make('child', [refTo(root)]);
    await make('grandchild', [refTo(child)]);
    await remove('root');
    await gone(() => get('child'));
    await gone(() => get('grandchild'));
  });

  it('removes a dependent whose owner was never there', async () => {
    await make('child', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'no-such-uid' }]);
    await gone(() => get('child'));
  });

  it('keeps a dependent that another owner still holds, without the lost reference', async () => {
    const [a, b] = [await make('a'), await make('b')];
    await make('child', [refTo(a), refTo(b)]);
    await remove('a');
    const child = await found(async () => {
      const current = await get('child');
      return current.metadata.ownerReferences?.length === 1 && current;
    });
    expect(child.metadata.ownerReferences).toEqual([refTo(b)]);
  });

  it('lets dependents go before a foreground deletion ends', async () => {
    const root = await make('root');
    await make('child', [refTo(root, { blockOwnerDeletion: true })], { finalizers: ['example.com/hold'] });
    await remove('root', 'Foreground');
    const child = await found(async () => {
      const current = await get('child');
      return current.metadata.deletionTimestamp !== undefined && current;
    });
    expect((await get('root')).metadata.finalizers).toEqual(['foregroundDeletion']);
    await maps().update({ ...child, metadata: { ...child.metadata, finalizers: [] } });
    await gone(() => get('root'));
  });

  it('ends a foreground deletion of two that own each other', async () => {
    const a = await make('a');
    const b = await make('b', [refTo(a, { blockOwnerDeletion: true })]);
    const owners = [refTo(b, { blockOwnerDeletion: true })];
    await maps().patch('a', { metadata: { ownerReferences: owners } }, { namespace: 'default', type: 'merge' });
    await remove('a', 'Foreground');
    await gone(() => get('a'));
    await gone(() => get('b'));
  });

  it('orphans dependents when asked', async () => {
    const root = await make('root');
    await make('child', [refTo(root)]);
    await remove('root', 'Orphan');
    await gone(() => get('root'));
    expect((await get('child')).metadata.ownerReferences).toBeUndefined();
  });

  it('counts an owner in another namespace as absent', async () => {
    const foreign = await maps().create({ metadata: { name: 'owner', namespace: 'kube-system' } });
    await make('child', [refTo(foreign)]);
    await gone(() => get('child'));
  });

  it('leaves cluster-wide objects alone that name a namespaced owner', async () => {
    const owner = await make('owner');
    const roles = test.admin.of(ClusterRole);
    await roles.create({ metadata: { name: 'odd', ownerReferences: [refTo(owner)] } });
    const event = await found(async () =>
      (await test.admin.of(Event).list()).items.find(({ involvedObject }) => involvedObject.name === 'odd'),
    );
    expect(event.reason).toBe('OwnerRefInvalidNamespace');
    await remove('owner');
    // A later deletion in the same queue shows that the role's turn has passed.
    await make('marker', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'no-such-uid' }]);
    await gone(() => get('marker'));
    expect((await roles.get('odd')).metadata.name).toBe('odd');
  });

  it('follows custom kinds as they come', async () => {
    const widgets: ResourceRef = {
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
    };
    test.start('system:serviceaccount:kube-system:customresourcedefinition-controller', (context, signal) =>
      startCrdController({ ...context, registry: test.server.core.registry }, signal),
    );
    await test.admin.of(CustomResourceDefinition).create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    const widget = await found(() =>
      test.admin
        .of(widgets)
        .create({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' } }),
    );
    await make('child', [refTo(widget)]);
    const root = await make('root');
    await test.admin
      .of(widgets)
      .patch('w', { metadata: { ownerReferences: [refTo(root)] } }, { namespace: 'default', type: 'merge' });
    await remove('root');
    await gone(() => test.admin.of(widgets).get('w', { namespace: 'default' }));
    await gone(() => get('child'));
  });
});
