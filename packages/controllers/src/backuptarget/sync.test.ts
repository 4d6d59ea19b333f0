import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conditionOf, type KubeObject, Namespace, type Persisted } from '@vireo/api';
import type { JsonObject } from '@vireo/api/json.ts';
import { BACKUP_TARGET_SETTING, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { backupPrefix, commitBackup } from '@vireo/backup';
import { directoryTarget, type TestTarget } from '@vireo/backup/testing/directoryTarget.ts';
import type { Client, ResourceRef } from '@vireo/kube';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { backupsOf } from '../testing/backups.ts';
import { type Cluster, NAMESPACE, startCluster } from '../testing/cluster.ts';
import { observed } from '../testing/watching.ts';
import { backupTargetActions } from './act.ts';
import { CurrentTarget, type UsableTarget } from './currentTarget.ts';
import { missingNamespaces } from './status.ts';
import { type FoundNamespace, type SyncResult, syncBackups } from './sync.ts';

let cluster: Cluster;
let target: TestTarget;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.close());
beforeEach(async () => {
  target = await directoryTarget();
});
afterEach(async () => {
  await target[Symbol.asyncDispose]();
  for (const { metadata } of await backups()) await cluster.admin.of(HarvesterBackup).delete(metadata.name, metadata);
});

const admin = (): Client => cluster.admin;
const backups = async (): Promise<readonly Persisted<HarvesterBackup>[]> =>
  (await admin().of(HarvesterBackup).list()).items;
const names = async (): Promise<string[]> =>
  (await backups()).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

/** A backup at the target, with what others may have written into its document. */
async function keep(name: string, namespace = NAMESPACE, edited: JsonObject = {}): Promise<string> {
  const uid = `uid-of-${name}`;
  const prefix = backupPrefix({ namespace, name, uid });
  const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };
  await commitBackup(target.store, prefix, {
    metadata: { namespace, name },
    spec: { source, type: 'backup' },
    status: { sourceUID: uid, volumeBackups: [], readyToUse: true },
    volumes: {},
    revisions: [],
    ...edited,
  });
  return prefix;
}

/** Looks at the target. `namespaces`: those of the cluster as they are thought to be. */
async function sync(namespaces?: readonly Persisted<Namespace>[]): Promise<SyncResult> {
  const current = new CurrentTarget();
  const place: UsableTarget = {
    target: { type: 'directory', endpoint: target.store.description },
    store: target.store,
  };
  await current.use(place);
  const known = await backups();
  const all = namespaces ?? (await admin().of(Namespace).list()).items;
  return syncBackups(place, {
    act: backupTargetActions(admin()),
    current,
    backups: () => known,
    workers: () => [],
    namespace: (name) => all.find(({ metadata }) => metadata.name === name),
    now: () => new Date(),
  });
}

describe('a backup at the target', () => {
  it('is made known, and nothing of its metadata is believed but its name', async () => {
    await keep('monday', NAMESPACE, {
      metadata: {
        namespace: NAMESPACE,
        name: 'monday',
        labels: { app: 'shop' },
        annotations: { 'example.org/a': 'b' },
        finalizers: ['example.org/never'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'u-1' }],
      },
    });
    expect(await sync()).toMatchObject({ problems: [], isComplete: true });
    const [{ metadata, status } = {} as HarvesterBackup] = await backups();
    expect(status?.readyToUse).toBe(true);
    expect(metadata.annotations).toEqual({ 'vireo.io/found-on-backup-target': 'true' });
    expect(metadata).not.toHaveProperty('labels');
    expect(metadata).not.toHaveProperty('finalizers');
    expect(metadata).not.toHaveProperty('ownerReferences');
  });

  it.each<[what: string, name: string, edited: JsonObject, why: string]>([
    ['whose name is none', 'Monday', {}, 'is no backup of a VM'],
    ['of another name', 'monday', { metadata: { namespace: NAMESPACE, name: 'other' } }, 'is no backup of a VM'],
    ['of another namespace', 'monday', { metadata: { namespace: 'lab', name: 'monday' } }, 'is no backup of a VM'],
    ['of no VM', 'monday', { spec: { source: {} } }, 'spec.source.kind'],
    ['that is no document', 'monday', { status: null }, 'is no backup of a VM'],
    [
      'with a status that the server refuses',
      'monday',
      { status: { sourceUID: 'uid-of-monday', volumeBackups: [], source: { spec: 5 } } },
      'status.source.spec',
    ],
  ])('%s is a problem, and the others are made known', async (_, name, edited, why) => {
    const prefix = await keep(name, NAMESPACE, edited);
    await keep('tuesday');
    expect(await sync()).toMatchObject({
      problems: [expect.stringMatching(new RegExp(`^${prefix} in .*${why}`))],
      isComplete: true,
    });
    expect(await names()).toEqual([`${NAMESPACE}/tuesday`]);
  });

  it('that is damaged is a problem, also when it is known, and the others are made known', async () => {
    const prefix = await keep('monday');
    await sync();
    await writeFile(join(target.root, prefix, 'backup.json'), '{}');
    await keep('tuesday');
    expect((await sync()).problems).toEqual([expect.stringContaining(`${prefix}backup.json`)]);
    expect(await names()).toEqual([`${NAMESPACE}/monday`, `${NAMESPACE}/tuesday`]);
  });

  it('that is gone is said to be missing', async () => {
    const prefix = await keep('monday');
    await sync();
    await rm(join(target.root, prefix), { recursive: true });
    await sync();
    expect(conditionOf((await backups())[0], 'Ready')?.reason).toBe('DataMissing');
  });
});

describe('a backup of a namespace', () => {
  it('that does not exist waits for it', async () => {
    await keep('monday', 'lab');
    await keep('tuesday', 'lab');
    await keep('monday');
    const { namespaces, problems } = await sync();
    expect(problems).toEqual([]);
    expect([...namespaces].map(([name, { uid, count }]) => [name, uid !== undefined, count])).toEqual([
      ['lab', false, 2],
      [NAMESPACE, true, 1],
    ]);
    expect(await names()).toEqual([`${NAMESPACE}/monday`]);
    expect(await admin().of(Namespace).find('lab')).toBeUndefined();
  });

  it('that is being deleted is a problem at most, and the others are made known', async () => {
    const going = await admin()
      .of(Namespace)
      .create({ metadata: { name: 'going', finalizers: ['example.org/wait'] } });
    await admin().of(Namespace).delete('going');
    await keep('monday', 'going');
    await keep('monday');
    expect((await sync()).namespaces.get('going')).toEqual({ uid: undefined, count: 1 });
    // It may not be known yet that it is.
    const here = await admin().of(Namespace).get(NAMESPACE);
    const { problems, isComplete } = await sync([going, here]);
    expect(problems).toEqual([expect.stringContaining('being terminated')]);
    expect(isComplete).toBe(true);
    expect(await names()).toEqual([`${NAMESPACE}/monday`]);
  });
});

describe('the controller of the target', () => {
  const { setTarget } = backupsOf({
    admin,
    until: <T extends KubeObject>(kind: ResourceRef, name: string, fits: (object: T) => boolean) =>
      observed<T>(admin(), kind, (object) => object.metadata.name === name && fits(object)),
  });
  const says = (message: string | undefined): Promise<Setting> =>
    observed<Setting>(
      admin(),
      Setting,
      (setting) =>
        setting.metadata.name === BACKUP_TARGET_SETTING && conditionOf(setting, 'configured')?.message === message,
    );
  const isThere = (uid?: string): Promise<HarvesterBackup> =>
    observed<HarvesterBackup>(
      admin(),
      HarvesterBackup,
      ({ metadata, status }) => metadata.namespace === 'later' && metadata.uid !== uid && !!status?.readyToUse,
    );

  it('names the namespaces that backups wait for, and makes the backups known when these are there', async () => {
    await keep('monday', 'later');
    const stop = await cluster.startControllers();
    try {
      await setTarget(target.root);
      await says('1 backup is of a namespace that does not exist: later; create the namespace to use them');
      expect(await backups()).toEqual([]);
      await admin()
        .of(Namespace)
        .create({ metadata: { name: 'later' } });
      const { metadata } = await isThere();
      await says(undefined);
      // With its namespace a backup goes from the cluster, but not from the target.
      await admin().of(Namespace).delete('later');
      await expect.poll(() => admin().of(Namespace).find('later'), { timeout: 20_000 }).toBeUndefined();
      await admin()
        .of(Namespace)
        .create({ metadata: { name: 'later' } });
      await isThere(metadata.uid);
    } finally {
      await setTarget(undefined);
      await stop();
    }
  });
});

const missing: FoundNamespace = { count: 2, uid: undefined };
const there: FoundNamespace = { count: 9, uid: 'u' };
const many = (count: number): Record<string, FoundNamespace> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, missing]));

test.each<[found: Record<string, FoundNamespace>, said: string | undefined]>([
  [{}, undefined],
  [{ a: there }, undefined],
  [
    { a: { ...missing, count: 1 } },
    '1 backup is of a namespace that does not exist: a; create the namespace to use them',
  ],
  [{ ...many(2), a: there }, '4 backups are of namespaces that do not exist: n0, n1; create the namespace to use them'],
  [
    many(12),
    '24 backups are of namespaces that do not exist: n0, n1, n10, n11, n2, n3, n4, n5, n6, n7 and 2 others; create the namespace to use them',
  ],
])('of the namespaces %j it says %s', (found, said) => {
  expect(missingNamespaces(new Map(Object.entries(found)))).toBe(said);
});
