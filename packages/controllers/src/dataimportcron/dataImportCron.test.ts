import type { Persisted, Pod } from '@vireo/api';
import type { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import type { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { DESIRED_DIGEST, IMPORT_CRON_LABEL, LAST_CRON_TIME } from '@vireo/api/kinds/cdi/importCron.ts';
import { describe, expect, it, test } from 'vitest';
import { dataSourceChange, importOf, outdatedImports } from './imports.ts';
import { decidePoll, pollerPod } from './poll.ts';
import { cronStatus } from './status.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const DIGEST = `sha256:${'0123456789ab'.padEnd(64, 'f')}`;
const metadata = { name: 'daily', namespace: 'os', uid: 'u-1', resourceVersion: '1', creationTimestamp: '' };
const storage = { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } };

const cron = (
  annotations: Record<string, string> = {},
  spec: Partial<DataImportCron['spec']> = {},
  status?: DataImportCron['status'],
): Persisted<DataImportCron> => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataImportCron',
  metadata: { ...metadata, annotations },
  spec: {
    schedule: '0 * * * *',
    managedDataSource: 'fedora',
    template: {
      metadata: { labels: { team: 'a' } },
      spec: { source: { registry: { url: 'docker://127.0.0.1:5000/os/fedora:40', secretRef: 'login' } }, storage },
    },
    ...spec,
  },
  ...(status && { status }),
});
const known = { [DESIRED_DIGEST]: DIGEST, [LAST_CRON_TIME]: '2026-01-02T03:00:00Z' };

const pod = (ageMs: number, message?: object): Persisted<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, creationTimestamp: new Date(NOW.getTime() - ageMs).toISOString() },
  ...(message && {
    status: {
      phase: 'digest' in message ? 'Succeeded' : 'Failed',
      containerStatuses: [
        {
          name: 'poller',
          image: '',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: 0, message: JSON.stringify(message) } },
        },
      ],
    },
  }),
});
const failed = { error: 'registry is away' };

describe('a look at the image', () => {
  test.each<[string, Persisted<DataImportCron>, Persisted<Pod> | undefined, string, number?]>([
    ['comes at once where nobody has looked', cron(), undefined, 'create'],
    ['never comes without a schedule', cron({}, { schedule: '' }), undefined, 'none'],
    ['waits for its time', cron(known), undefined, 'none', 3_355_000],
    ['comes when it is time', cron({ [LAST_CRON_TIME]: '2026-01-02T02:59:59Z' }), undefined, 'create'],
    ['never comes on 30 February', cron(known, { schedule: '0 0 30 2 *' }), undefined, 'none'],
    ['waits for months in days', cron(known, { schedule: '@yearly' }), undefined, 'none', 86_400_000],
    ['is waited for', cron(), pod(1000), 'none', 599_000],
    ['that no node answers is given up', cron(), pod(600_000), 'delete'],
    ['that succeeded is noted', cron(), pod(1000, { digest: DIGEST }), 'record'],
    ['that failed comes again later', cron(), pod(1000, failed), 'none', 299_000],
    ['that failed a while ago comes again', cron(), pod(300_000, failed), 'delete'],
    ['that tells no digest has failed', cron(), pod(1000, { digest: '../x' }), 'none', 299_000],
  ])('%s', (_, of, poller, action, requeueAfterMs) => {
    const decision = decidePoll(of, poller, NOW);
    expect(decision.action).toBe(action);
    if (action === 'none')
      expect('requeueAfterMs' in decision ? decision.requeueAfterMs : undefined).toBe(requeueAfterMs);
  });

  it('names the Secret of the source, and is for any node of ours', () => {
    const { spec } = pollerPod(cron());
    expect(spec).toMatchObject({ nodeSelector: { 'kubevirt.io/schedulable': 'true' } });
    expect(spec?.volumes).toMatchObject([{ projected: { sources: [{ secret: { name: 'login' } }] } }]);
  });
});

describe('an import', () => {
  it('is of exactly the image that was seen, and otherwise as the template says', () => {
    expect(importOf(cron(), DIGEST)).toEqual({
      metadata: {
        name: 'fedora-0123456789ab',
        namespace: 'os',
        labels: { team: 'a', [IMPORT_CRON_LABEL]: 'daily' },
        annotations: {},
      },
      spec: {
        source: { registry: { url: `docker://127.0.0.1:5000/os/fedora@${DIGEST}`, secretRef: 'login' } },
        storage,
      },
    });
  });

  test.each([
    ['docker://127.0.0.1:5000/fedora', 'docker://127.0.0.1:5000/fedora'],
    ['docker://quay.io/os/fedora:40', 'docker://quay.io/os/fedora'],
    [`docker://quay.io/fedora:40@sha256:${'1'.repeat(64)}`, 'docker://quay.io/fedora'],
  ])('of %s is pinned', (url, name) => {
    const { spec } = importOf(cron({}, { template: { spec: { source: { registry: { url } }, storage } } }), DIGEST);
    expect(spec.source?.registry?.url).toBe(`${name}@${DIGEST}`);
  });

  const made = (name: string, day: number): Persisted<DataVolume> => ({
    apiVersion: 'x',
    kind: 'DataVolume',
    metadata: { ...metadata, name, creationTimestamp: `2026-01-0${day}T00:00:00Z` },
    spec: {},
  });
  const all = [made('a', 1), made('b', 2), made('c', 3), made('d', 4), made('e', 5)];
  test.each<[Partial<DataImportCron['spec']>, string, string[]]>([
    [{}, 'e', ['b', 'a']],
    [{ importsToKeep: 1 }, 'e', ['d', 'c', 'b', 'a']],
    [{ importsToKeep: 0 }, 'e', ['d', 'c', 'b', 'a']],
    // The image went back to what it was before.
    [{ importsToKeep: 2 }, 'a', ['d', 'c', 'b']],
    [{ garbageCollect: 'Never' }, 'e', []],
  ])('of %j: with %s as the current one, %j go', (spec, current, expected) => {
    expect(outdatedImports(cron({}, spec), all, current).map((each) => each.metadata.name)).toEqual(expected);
  });
});

it('the DataSource stands for the last import that succeeded', () => {
  const of = (source: DataSource['spec']['source'], labels = { [IMPORT_CRON_LABEL]: 'daily' }): DataSource => ({
    apiVersion: 'x',
    kind: 'DataSource',
    metadata: { name: 'fedora', labels },
    spec: { source },
  });
  const pvc = { namespace: 'os', name: 'fedora-1' };
  expect(dataSourceChange(cron(), of({}), undefined)).toBeUndefined();
  expect(dataSourceChange(cron(), of({ pvc }), 'fedora-1')).toBeUndefined();
  expect(dataSourceChange(cron(), of({ pvc }), 'fedora-2')?.spec).toMatchObject({
    source: { pvc: { name: 'fedora-2' } },
  });
  expect(dataSourceChange(cron(), of({ pvc }, {} as never), 'fedora-1')).toEqual({
    metadata: { labels: { [IMPORT_CRON_LABEL]: 'daily' } },
  });
});

describe('the status', () => {
  const dataVolume = (phase: string): DataVolume => ({
    apiVersion: 'x',
    kind: 'DataVolume',
    metadata: {},
    spec: {},
    status: { phase },
  });
  const look = (of: Persisted<DataImportCron>, phase?: string, poll?: Parameters<typeof cronStatus>[1]['poll']) =>
    cronStatus(of, { current: phase === undefined ? undefined : dataVolume(phase), poll, now: NOW });
  const told = (status: ReturnType<typeof look>): string[] =>
    (status.conditions ?? []).map((each) => `${each.type}=${each.status} ${each.reason}: ${each.message}`);

  test.each<[string, ReturnType<typeof look>, string, string]>([
    ['no digest', look(cron()), 'False NoImport: No current import', 'False NoDigest: No source digest'],
    [
      'no digest, and why',
      look(cron(), undefined, failed),
      'False NoImport: No current import',
      'False NoDigest: No source digest: registry is away',
    ],
    [
      'a registry that does not let us in',
      look(cron(), undefined, { error: '401', isRefused: true }),
      'False NoImport: No current import',
      'False NotAuthorized: No source digest: 401',
    ],
    [
      'a new digest',
      look(cron(known)),
      'False NoImport: No current import',
      'False Outdated: Source digest updated since last import',
    ],
    [
      'a scheduled import',
      look(cron(known), 'ImportScheduled'),
      'False ImportScheduled: Import is scheduled',
      'False ImportScheduled: Import is scheduled',
    ],
    [
      'an import',
      look(cron(known), 'ImportInProgress'),
      'True ImportProgressing: Import is progressing',
      'False ImportProgressing: Import is progressing',
    ],
    [
      'a failed import',
      look(cron(known), 'Failed'),
      'False Failed: Import DataVolume phase Failed',
      'False Outdated: Source digest updated since last import',
    ],
    [
      'an import that is there',
      look(cron(known), 'Succeeded'),
      'False NoImport: No current import',
      'True UpToDate: Latest import is up to date',
    ],
    [
      'an import that is there, and a registry that is not',
      look(cron(known), 'Succeeded', failed),
      'False NoImport: No current import',
      'True UpToDate: Latest import is up to date; last poll: registry is away',
    ],
  ])('of %s', (_, status, progressing, upToDate) => {
    expect(told(status)).toEqual([`Progressing=${progressing}`, `UpToDate=${upToDate}`]);
  });

  it('names the import, its claim and the times, and is not written again', () => {
    const first = look(cron(known), 'Succeeded');
    expect(first).toMatchObject({
      currentImports: [{ DataVolumeName: 'fedora-0123456789ab', Digest: DIGEST }],
      lastExecutionTimestamp: '2026-01-02T03:00:00Z',
      lastImportTimestamp: '2026-01-02T03:04:05Z',
      lastImportedPVC: { namespace: 'os', name: 'fedora-0123456789ab' },
      sourceFormat: 'pvc',
    });
    const again = cronStatus(cron(known, {}, first), {
      current: dataVolume('Succeeded'),
      poll: undefined,
      now: new Date(0),
    });
    expect(again).toEqual(first);
  });
});
