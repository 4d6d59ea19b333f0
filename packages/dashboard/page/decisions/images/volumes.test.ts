import { expect, it } from 'vitest';
import { isEqual } from '../yaml/values.ts';
import { consequencesOf, losesData } from './deleting.ts';
import { isFound, parseVolumeOrder, sortVolumes } from './finding.ts';
import type { Claim, DataVolume } from './objects.ts';
import { machineVolumes } from './users.ts';
import { causeOf, type VolumeObjects, volumesFrom } from './volumes.ts';

const dataVolume = (name: string, rest: object = {}): DataVolume => ({
  metadata: { namespace: 'n', name },
  spec: { source: { upload: {} }, storage: { resources: { requests: { storage: '1Gi' } } } },
  status: { phase: 'Succeeded' },
  ...rest,
});
const claim = (name: string, rest: object = {}): Claim => ({
  metadata: { namespace: 'n', name, annotations: { 'vireo.io/storage.allocated-bytes': '4096' } },
  spec: { storageClassName: 'local' },
  status: { phase: 'Bound', capacity: { storage: '2Gi' } },
  ...rest,
});
const vm = (name: string, claimName: string, status: object = {}, cdrom?: object) =>
  machineVolumes({
    metadata: { namespace: 'n', name },
    spec: {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
      domain: { devices: { disks: [{ name: 'v', ...(cdrom && { cdrom }) }] } },
    },
    status,
  });
const NOTHING: VolumeObjects = {
  dataVolumes: [],
  claims: [],
  dataSources: [],
  images: [],
  machines: [],
  snapshots: [],
};

it('a claim is part of its DataVolume, and listed alone without one', () => {
  const volumes = volumesFrom({ ...NOTHING, dataVolumes: [dataVolume('a')], claims: [claim('a'), claim('b')] });
  expect(
    volumes.map(({ kind, name, sizeBytes, usedBytes, storageClass }) => [
      kind,
      name,
      sizeBytes,
      usedBytes,
      storageClass,
    ]),
  ).toEqual([
    ['DataVolume', 'a', 2 ** 31, 4096, 'local'],
    ['PersistentVolumeClaim', 'b', 2 ** 31, 4096, 'local'],
  ]);
});

it('a VM and its instance are one user, which runs', () => {
  const machines = [vm('web', 'a'), vm('web', 'a', { phase: 'Running' }), vm('db', 'a')];
  const [volume] = volumesFrom({ ...NOTHING, dataVolumes: [dataVolume('a')], machines });
  expect(volume?.users).toEqual(
    expect.arrayContaining([
      { kind: 'machine', name: 'web', isRunning: true },
      { kind: 'machine', name: 'db', isRunning: false },
    ]),
  );
  expect(volume && consequencesOf(volume)).toEqual([
    'Its claim a and the data on it are deleted with it.',
    'web runs and uses it: it is deleted once that has stopped.',
    'db uses it, and cannot start without it.',
  ]);
});

it('a disc is known by its drive or its file, an image by its DataSource', () => {
  const volumes = volumesFrom({
    ...NOTHING,
    dataVolumes: [
      dataVolume('inDrive'),
      dataVolume('byFile', {
        metadata: { namespace: 'n', name: 'byFile', annotations: { 'vireo.dev/source-file': 'x.iso' } },
      }),
      dataVolume('pointedTo'),
      dataVolume('plain'),
    ],
    machines: [vm('web', 'inDrive', {}, {})],
    dataSources: [
      { metadata: { namespace: 'n', name: 's' }, spec: { source: { pvc: { namespace: 'n', name: 'pointedTo' } } } },
    ],
  });
  expect(volumes.map(({ what }) => what)).toEqual(['disc', 'disc', 'image', 'disk', 'image']);
  expect(volumes.map(losesData)).toEqual([true, true, true, true, false]);
});

it('an import that fails for now says why and how far it is', () => {
  const status = {
    phase: 'ImportInProgress',
    progress: '42.17%',
    conditions: [{ type: 'Running', status: 'False', reason: 'Error', message: 'no route' }],
  };
  const [volume] = volumesFrom({ ...NOTHING, dataVolumes: [dataVolume('a', { status })] });
  expect(volume).toMatchObject({
    state: { group: 'trouble', label: 'Import fails', word: 'ImportInProgress' },
    percent: 42.17,
    reason: 'no route',
  });
});

it('volumes are found by any of their words, and not by others', () => {
  const volumes = volumesFrom({
    ...NOTHING,
    dataVolumes: [dataVolume('web-root'), dataVolume('db', { status: { phase: 'Failed' } })],
    machines: [vm('shop', 'web-root')],
  });
  const found = (search: string): string[] =>
    volumes.filter((volume) => isFound(volume, search)).map(({ name }) => name);
  expect(found('shop')).toEqual(['web-root']);
  expect(found('error')).toEqual(['db']);
  expect(found('-error disk')).toEqual(['web-root']);
  expect(sortVolumes(volumes, parseVolumeOrder('-name')).map(({ name }) => name)).toEqual(['web-root', 'db']);
});

it.each([
  ['http://127.0.0.1:80/a.img: the server responded with 404', 'the server responded with 404'],
  ['no space left', 'no space left'],
  ['https://example.org/a.img', 'https://example.org/a.img'],
])('in a few words, %s is: %s', (reason, cause) => {
  expect(causeOf(reason)).toBe(cause);
});

it('volumes that are made anew of the same objects are equal, so that their rows are not drawn again', () => {
  const objects = (): VolumeObjects => ({
    ...NOTHING,
    dataVolumes: [dataVolume('web-root'), dataVolume('db-root', { status: { phase: 'Failed' } })],
    claims: [claim('web-root')],
    machines: [vm('web', 'web-root'), vm('web', 'web-root', { phase: 'Running' })],
  });
  const [before, after] = [
    volumesFrom(objects()),
    volumesFrom({ ...objects(), dataVolumes: [dataVolume('web-root')] }),
  ];
  expect(before.map((volume) => after.some((other) => isEqual(volume, other)))).toEqual([true, false]);
});
