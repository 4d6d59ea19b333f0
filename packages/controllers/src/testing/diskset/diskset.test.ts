import { ConfigMap, PersistentVolumeClaim } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { observed } from '../watching.ts';
import { withController } from '../withController.ts';
import { startDiskSetController } from './index.ts';
import { DiskSet } from './kind.ts';
import { missingClaims } from './reconcile.ts';

const metadata = { name: 'data', namespace: 'default' };
const spec = { count: 2, sizeFrom: 'sizes' };
const named = (name: string) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name } });

it.each([
  ['a new set', [], ['data-0', 'data-1']],
  ['a set that has lost a claim', [named('data-1')], ['data-0']],
  ['a set with all its claims', [named('data-0'), named('data-1')], []],
])('%s lacks claims', (_, claims, names) => {
  const set = persisted({ apiVersion: 'example.io/v1', kind: 'DiskSet', metadata, spec });
  expect(missingClaims(set, claims, '1Gi').map((draft) => draft.metadata.name)).toEqual(names);
});

it('a DiskSet gets its claims once its ConfigMap is there', () =>
  withController(DiskSet, startDiskSetController, async (client) => {
    await client.of(DiskSet).create({ metadata, spec });
    await observed<DiskSet>(client, DiskSet, ({ status }) => status?.bound === 0);
    await client.of(ConfigMap).create({ metadata: { ...metadata, name: 'sizes' }, data: { size: '1Gi' } });
    await observed<PersistentVolumeClaim>(client, PersistentVolumeClaim, (claim) => claim.metadata.name === 'data-1');
  }));
