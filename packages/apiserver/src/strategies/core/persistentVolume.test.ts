import { expect, test } from 'vitest';
import { changeProblems, created, problems } from '../../testing/strategies.ts';
import { persistentVolumeStrategy } from './persistentVolume.ts';

const volume = (spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' }, ...spec },
});

test('a new volume is pending', () => {
  expect(created(persistentVolumeStrategy, volume()).status).toEqual({ phase: 'Pending' });
});

test.each<[string, object, string[]]>([
  ['a plain volume', {}, []],
  [
    'nothing at all',
    { capacity: undefined, accessModes: undefined, hostPath: undefined },
    [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec: Required value: must specify a volume type',
    ],
  ],
  [
    'two sources',
    { nfs: { server: 'nas', path: '/x' } },
    ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'a capacity of something else',
    { capacity: { cpu: '1' } },
    ['spec.capacity: Unsupported value: {"cpu":"1"}: supported values: "storage"'],
  ],
  [
    'a capacity of nothing',
    { capacity: { storage: '0' } },
    ['spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
  ],
  [
    'a local volume that may be anywhere',
    { hostPath: undefined, local: { path: '/mnt' } },
    ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
  ],
  [
    'recycling the whole host',
    { hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' },
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
  [
    'an unknown reclaim policy',
    { persistentVolumeReclaimPolicy: 'Burn' },
    ['spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Recycle", "Retain"'],
  ],
])('%s', (_, spec, expected) => {
  expect(problems(persistentVolumeStrategy, volume(spec))).toEqual(expected);
});

test('source and mode stay, the rest may change', () => {
  const now = volume({ hostPath: { path: '/other' }, volumeMode: 'Block', capacity: { storage: '2Gi' } });
  expect(changeProblems(persistentVolumeStrategy, now, volume({ volumeMode: 'Filesystem' }))).toEqual([
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\nspec.hostPath.path: "/data" -> "/other"',
    'spec.volumeMode: Invalid value: "Block": field is immutable',
  ]);
});
