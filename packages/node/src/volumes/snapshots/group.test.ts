import type { Persisted } from '@vireo/api';
import { TAKEN_WITH, TAKEN_WITH_COUNT } from '@vireo/api/kinds/volumesnapshot/names.ts';
import type { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { incomplete, snapshotGroup } from './group.ts';

type Content = Persisted<VolumeSnapshotContent>;

const content = (name: string, group?: string, namespace = 'shop'): Content =>
  persisted<VolumeSnapshotContent>({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name, ...(group && { annotations: { [TAKEN_WITH]: group, [TAKEN_WITH_COUNT]: '2' } }) },
    spec: {
      deletionPolicy: 'Delete',
      driver: 'vireo.io/local',
      source: { volumeHandle: `pvc-${name}` },
      volumeSnapshotRef: { name, namespace },
    },
  });

const alone = content('alone');
const [root, data, other] = [content('root', 'a'), content('data', 'a'), content('other', 'b')];
const foreign = content('foreign', 'a', 'elsewhere');

it.each<[what: string, of: Content, all: Content[], together: string[] | undefined]>([
  ['one that belongs to none is taken by itself', alone, [alone, root, data], ['alone']],
  ['one of a group waits for the rest', root, [root, other, alone], undefined],
  ['one of another namespace that names the group is none of it', root, [root, foreign], undefined],
  ['nor is it taken with it', data, [root, foreign, data], ['root', 'data']],
  ['all of a group are taken at once', data, [root, other, data, alone], ['root', 'data']],
])('%s', (_, of, all, together) => {
  const found = snapshotGroup(of, all);
  expect('members' in found ? found.members.map(({ metadata }) => metadata.name) : undefined).toEqual(together);
});

it('a group that stays incomplete says how many are missing, and what to do', () => {
  const found = snapshotGroup(root, [root]);
  expect('members' in found ? '' : incomplete(found)).toBe(
    'waiting for the snapshots of the other disks of a, to take them at the same point in time: 1 of 2 exist. ' +
      'If the others will not be created, delete it, or create it without the annotation vireo.io/taken-with',
  );
});
