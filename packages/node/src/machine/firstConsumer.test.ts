import { PersistentVolumeClaim } from '@vireo/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NodeContext } from '../context.ts';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from '../volumes/testing/cluster.ts';
import { beFirstConsumer } from './firstConsumer.ts';

let cluster: VolumeCluster;
beforeAll(async () => {
  cluster = await startVolumeCluster();
});
afterAll(() => cluster?.close());

const consume = (name: string): Promise<void> =>
  beFirstConsumer(
    { namespace: NAMESPACE, name },
    { client: cluster.admin, host: { name: 'node-1' } as NodeContext['host'] },
  );

it('a claim that waits for its first consumer gets its volume on the node that asks', async () => {
  await cluster.claim('late', { storageClassName: 'local-wait' });
  await consume('late');
  const volume = await cluster.volumeOf('late');
  expect(volume.spec?.nodeAffinity).toBeDefined();
  // Asked again, and of one that is not there, it changes nothing.
  await consume('late');
  await consume('nowhere');
  await cluster.claim('soon');
  await consume('soon');
  const claims = cluster.admin.of(PersistentVolumeClaim);
  const soon = await until(() => claims.get('soon', { namespace: NAMESPACE }));
  expect(soon.metadata.annotations?.['volume.kubernetes.io/selected-node']).toBeUndefined();
});
