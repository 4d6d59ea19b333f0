import { expect, it, test } from 'vitest';
import type { Pod } from '../core/pod.ts';
import { credentialsData, credentialsIn } from './backupTarget.ts';
import {
  BACKUP_WORK_PROGRESS,
  type BackupWorkRequest,
  type BackupWorkResult,
  backupWorkMetadata,
  backupWorkOf,
  backupWorkProgress,
  backupWorkResult,
} from './backupWork.ts';

const request: BackupWorkRequest = {
  operation: 'upload',
  target: { type: 'directory', endpoint: 'file:///mnt/backup', id: 'a1' },
  prefix: 'v1/shop/nightly-1/volumes/disk/',
  volumeSnapshotContent: 'snapcontent-1',
};
const podIn = (namespace: string, metadata = backupWorkMetadata(request)): Pod =>
  ({ metadata: { name: 'worker', namespace, ...metadata } }) as Pod;

it('reads what a worker pod asks for', () => {
  expect(backupWorkOf(podIn('kubevirt'))).toEqual(request);
});

test.each<[string, Pod]>([
  ['in another namespace', podIn('shop')],
  ['without the label', podIn('kubevirt', { ...backupWorkMetadata(request), labels: {} })],
  ['without a request', podIn('kubevirt', { ...backupWorkMetadata(request), annotations: {} })],
  [
    'whose label and request differ',
    podIn('kubevirt', { ...backupWorkMetadata(request), labels: { 'vireo.io/backup-work': 'restore' } }),
  ],
])('a pod %s is no worker pod', (_, pod) => {
  expect(backupWorkOf(pod)).toBeUndefined();
});

const withStatus = (phase: string, message?: string): Pod =>
  ({
    metadata: {},
    status: { phase, containerStatuses: [{ name: 'worker', state: { terminated: { exitCode: 0, message } } }] },
  }) as unknown as Pod;

test.each<[string, Pod, BackupWorkResult | undefined]>([
  ['goes on', withStatus('Running'), undefined],
  [
    'has ended',
    withStatus('Succeeded', '{"sizeBytes":1,"storedBytes":1,"sha256":"00"}'),
    { sizeBytes: 1, storedBytes: 1, sha256: '00' },
  ],
  ['has failed', withStatus('Failed', '{"error":"no room"}'), { error: 'no room' }],
  ['was failed by others', withStatus('Failed'), { error: 'the worker pod failed' }],
  ['says nothing', withStatus('Succeeded', ''), { error: 'the worker pod has said ""' }],
])('work that %s', (_, pod, result) => {
  expect(backupWorkResult(pod)).toEqual(result);
});

it('progress is whole percents, and 100 only at the end', () => {
  const at = (message: string): Pod =>
    ({ metadata: {}, status: { conditions: [{ type: BACKUP_WORK_PROGRESS, status: 'True', message }] } }) as Pod;
  expect(
    [at('42'), at('100'), at('half'), { metadata: {} } as Pod, withStatus('Succeeded')].map(backupWorkProgress),
  ).toEqual([42, 99, 0, 0, 100]);
});

it('credentials come out of the Secret as they went in', () => {
  const credentials = { accessKeyId: 'me', secretAccessKey: 'geheim ✓', cert: undefined };
  expect(credentialsIn(credentialsData(credentials))).toEqual(credentials);
  expect(credentialsIn()).toEqual({ accessKeyId: undefined, secretAccessKey: undefined, cert: undefined });
});
