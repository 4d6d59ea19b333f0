import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Node, nodeOfVolume, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import * as names from '@vireo/api/kinds/cdi/names.ts';
import { SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VolumeStore } from '../store.ts';
import { NAMESPACE, NODE, startVolumeCluster, until, type VolumeCluster, type VolumeNode } from '../testing/cluster.ts';

let cluster: VolumeCluster;
let second: VolumeNode;
let third: VolumeNode;
const TIB = 1024 ** 4;
beforeAll(async () => {
  cluster = await startVolumeCluster();
  [second, third] = await Promise.all([cluster.addNode('node-2', 2 * TIB), cluster.addNode('node-3', 3 * TIB)]);
});
afterAll(() => cluster?.close());

const at = { namespace: NAMESPACE };
const claims = () => cluster.admin.of(PersistentVolumeClaim);
const nodeOf = async (name: string) => nodeOfVolume(await cluster.volumeOf(name));
const select = (name: string, node: string | null) =>
  claims().patch(name, { metadata: { annotations: { [SELECTED_NODE]: node } } }, { ...at, type: 'merge' });

it('one of three nodes makes the volume of a claim: the one with most space', async () => {
  await cluster.claim('roomy');
  const volume = await cluster.volumeOf('roomy');
  expect(nodeOfVolume(volume)).toBe('node-3');
  expect(volume.spec?.local?.path).toBe(join(third.directory, volume.metadata.name));
  expect(await Promise.all([cluster.directory, second.directory].map((directory) => readdir(directory)))).toEqual([
    [],
    [],
  ]);
});

it('a claim that is filled before anybody uses it gets its data on one node, and a cordoned one only as the last', async () => {
  const nodes = cluster.admin.of(Node);
  await nodes.patch('node-3', { spec: { unschedulable: true } }, { type: 'merge' });
  const wanted = { [names.BIND_IMMEDIATE]: '', [names.IMPORT_SOURCE]: 'none' };
  await cluster.claim('filled', { storageClassName: 'local-wait' }, wanted);
  expect(await nodeOf('filled')).toBe('node-2');
  await cluster.claimUntil('filled', ({ metadata }) => metadata.annotations?.[names.POD_PHASE] === 'Succeeded');
  await nodes.patch('node-3', { spec: { unschedulable: null } }, { type: 'merge' });
});

it('a copy is made where its original is, also one that waits for it to come', async () => {
  await cluster.claim('early', { dataSource: { kind: 'PersistentVolumeClaim', name: 'late-original' } });
  expect((await cluster.event('early', 'ProvisioningFailed')).message).toBe(
    'source PersistentVolumeClaim shop/late-original does not exist',
  );
  await cluster.claim('late-original', { storageClassName: 'local-wait' });
  await select('late-original', NODE);
  expect(await nodeOf('early')).toBe(NODE);
  expect((await claims().get('early', at)).metadata.annotations?.[names.BOUND_MESSAGE]).toBeUndefined();
  await cluster.claim('copied', {}, { [names.CLONE_REQUEST]: `${NAMESPACE}/late-original` });
  expect(await nodeOf('copied')).toBe(NODE);
});

it('a copy that the scheduler puts elsewhere says where the original is, and what to do', async () => {
  await cluster.claim('astray', {
    storageClassName: 'local-wait',
    dataSource: { kind: 'PersistentVolumeClaim', name: 'late-original' },
  });
  await select('astray', 'node-2');
  expect((await cluster.event('astray', 'ProvisioningFailed')).message).toBe(
    'node node-2: source PersistentVolumeClaim shop/late-original is on node node-1, but the volume is to be on node ' +
      'node-2: delete the claim and let its VM run on node-1, or keep the source in a class of a shared directory',
  );
});

it('a node that is gone before it made anything is given up: the scheduler chooses again', async () => {
  await cluster.claim('orphaned', { storageClassName: 'local-wait' });
  await select('orphaned', 'node-9');
  await cluster.claimUntil('orphaned', ({ metadata }) => metadata.annotations?.[SELECTED_NODE] === undefined);
  expect((await cluster.event('orphaned', 'SelectedNodeLost')).message).toMatch(/^node node-9, .*does not exist/);
  await select('orphaned', 'node-2');
  expect(await nodeOf('orphaned')).toBe('node-2');
});

it('what a node made for a claim that another was faster with goes; what was published stays', async () => {
  const { metadata } = await cluster.claim('raced', { storageClassName: 'local-wait' });
  const name = `pvc-${metadata.uid}`;
  const slow = new VolumeStore(cluster.directory);
  await slow.createDraft(name, 1024 ** 2);
  const kept = new VolumeStore(third.directory);
  await kept.create(name, 1024 ** 2);
  await select('raced', 'node-2');
  await cluster.volumeOf('raced');
  await until(async () => !(await slow.has(name)) || undefined);
  expect(await kept.has(name)).toBe(true);
  expect((await cluster.admin.of(PersistentVolume).get(name)).spec?.local?.path).toBe(join(second.directory, name));
});
