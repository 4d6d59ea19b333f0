import { conflict, type Node, type Persisted } from '@vireo/api';
import { expect, it } from 'vitest';
import { changeTaints } from './changeTaints.ts';

type Taints = NonNullable<NonNullable<Node['spec']>['taints']>;

/** A node that others taint so many times between a look at it and a write. */
function busyNode(writes: number) {
  let taints: Taints = [];
  let version = 0;
  const nodes = {
    find: async () => ({ metadata: { name: 'n', resourceVersion: String(version) }, spec: { taints } }),
    patchIfUnchanged: async ({ metadata }: Persisted<Node>, patch: { spec: { taints: Taints } }) => {
      if (writes-- > 0) {
        version += 1;
        taints = [...taints, { key: `other-${version}`, effect: 'NoSchedule' }];
      }
      if (metadata.resourceVersion !== String(version))
        throw conflict({ group: '', resource: 'nodes' }, 'n', 'the object has been modified');
      taints = patch.spec.taints;
    },
  };
  return { client: { of: () => nodes } as never, keys: () => taints.map(({ key }) => key) };
}

const add = ({ spec }: Persisted<Node>): Taints => [...(spec?.taints ?? []), { key: 'own', effect: 'NoExecute' }];

it('a taint is added beside those that others add at the same moment', async () => {
  const { client, keys } = busyNode(3);
  expect((await changeTaints('n', client, add)).isChanged).toBe(true);
  expect(keys()).toEqual(['other-1', 'other-2', 'other-3', 'own']);
});

it('a node that changes without end is given up with its conflict', async () => {
  const { client } = busyNode(1_000);
  await expect(changeTaints('n', client, add)).rejects.toMatchObject({ reason: 'Conflict' });
});

it('nothing is written where nothing is to be done', async () => {
  const { client, keys } = busyNode(0);
  expect((await changeTaints('n', client, () => undefined)).isChanged).toBe(false);
  expect(keys()).toEqual([]);
});
