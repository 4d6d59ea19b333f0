import { PersistentVolumeClaim } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Restore } from '../restore/kinds.ts';
import { Snapshot } from '../snapshot/kinds.ts';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { observed } from '../testing/watching.ts';
import { Clone } from './kinds.ts';

/** Without admission, so that what is wrong is found out by the step that makes the copy. */
let cluster: Cluster;
const at = { namespace: NAMESPACE };
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startControllers();
  await cluster.admin.of(Vm).create(vmDraft('web', { runStrategy: 'Halted' }));
});
afterAll(() => cluster?.close());

const reference = (name: string) => ({ apiGroup: Vm.group, kind: Vm.kind, name });
const cloned = async (name: string, patches: readonly object[] = []): Promise<Clone> => {
  await cluster.admin.of(Clone).create({
    metadata: { name, ...at },
    spec: {
      source: reference('web'),
      target: reference('copy'),
      patches: patches.map((patch) => JSON.stringify(patch)),
    },
  });
  const isOver = ({ metadata, status }: Clone) =>
    metadata.name === name && ['Failed', 'Succeeded'].includes(status?.phase ?? '');
  return observed<Clone>(cluster.admin, Clone, isOver);
};
const left = async (): Promise<number> => {
  const lists = [Restore, Snapshot, PersistentVolumeClaim].map((kind) => cluster.admin.of(kind).list(at));
  return (await Promise.all(lists)).flatMap(({ items }) => [...items]).length;
};

it('a clone whose copy is refused fails, says why, clears up and stands in nobody’s way', async () => {
  const failed = await cloned('bad', [{ op: 'add', path: '/spec/template/spec/volumes', value: 'none' }]);
  expect(failed.status).toMatchObject({
    phase: 'Failed',
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: 'Ready', status: 'False', reason: expect.stringContaining('volumes') }),
    ]),
  });
  await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 20_000 });
  await vi.waitFor(
    async () => {
      const { status } = await cluster.admin.of(Clone).get('bad', at);
      expect(status).not.toHaveProperty('restoreName');
      expect(status).not.toHaveProperty('snapshotName');
    },
    { timeout: 20_000 },
  );
  expect((await cloned('good')).status?.phase).toBe('Succeeded');
  expect(await cluster.admin.of(Vm).get('copy', at)).toMatchObject({ spec: { runStrategy: 'Halted' } });
}, 60_000);
