import { describe, expect, test } from 'vitest';
import { changeProblems, contextOf, created, problems } from '../../testing/strategies.ts';
import { persistentVolumeClaimStrategy } from './persistentVolumeClaim.ts';

const claim = (spec: object = {}, rest: object = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c', namespace: 'default' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    storageClassName: 'fast',
    ...spec,
  },
  ...rest,
});
const sized = (storage: string) => ({ resources: { requests: { storage } } });

test('a new claim is pending', () => {
  expect(created(persistentVolumeClaimStrategy, claim({}, { status: { phase: 'Bound' } })).status).toEqual({
    phase: 'Pending',
  });
});

describe('what a claim starts as', () => {
  const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
  const image = { apiGroup: 'cdi.kubevirt.io', kind: 'VolumeImportSource', name: 'i' };
  const elsewhere = { ...snapshot, namespace: 'other' };
  test.each<[string, object, object]>([
    [
      'dataSource alone is in dataSourceRef too',
      { dataSource: snapshot },
      { dataSource: snapshot, dataSourceRef: snapshot },
    ],
    ['dataSourceRef alone is in dataSource too', { dataSourceRef: image }, { dataSource: image, dataSourceRef: image }],
    [
      'a source of another namespace is in dataSourceRef only',
      { dataSourceRef: elsewhere },
      { dataSourceRef: elsewhere },
    ],
    ['dataSource drops what is neither a claim nor a snapshot', { dataSource: image }, {}],
    ['nothing stays nothing', {}, {}],
  ])('%s', (_, given, expected) => {
    const { dataSource, dataSourceRef } = created(persistentVolumeClaimStrategy, claim(given)).spec as Record<
      string,
      object
    >;
    expect({ ...(dataSource && { dataSource }), ...(dataSourceRef && { dataSourceRef }) }).toEqual(expected);
  });

  test('is left as it is in a claim that was stored with one field', () => {
    const old = claim({ dataSource: snapshot });
    const draft = claim({ dataSource: snapshot });
    persistentVolumeClaimStrategy.prepareForUpdate?.(draft, old, contextOf());
    expect(draft.spec).not.toHaveProperty('dataSourceRef');
    expect(changeProblems(persistentVolumeClaimStrategy, old, draft)).toEqual([]);
  });

  test('may be said again by one field alone', () => {
    const old = claim({ dataSource: snapshot, dataSourceRef: snapshot });
    const draft = claim({ dataSource: snapshot });
    persistentVolumeClaimStrategy.prepareForUpdate?.(draft, old, contextOf());
    expect(draft).toEqual(old);
  });
});

test.each<[string, object, string[]]>([
  ['a plain claim', {}, []],
  [
    'two sources',
    {
      dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
      dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' },
    },
    ['spec: Invalid value: "spec.dataSource": must match dataSourceRef'],
  ],
  [
    'neither modes nor size',
    { accessModes: [], resources: undefined },
    ['spec.accessModes: Required value: at least 1 access mode is required', 'spec.resources[storage]: Required value'],
  ],
  ['no size at all', sized('0'), ['spec.resources[storage]: Invalid value: "0": must be greater than zero']],
  [
    'an unknown mode',
    { accessModes: ['Mine'] },
    [
      'spec.accessModes: Unsupported value: "Mine": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
  ],
  [
    'the exclusive mode among others',
    { accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] },
    ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
  ],
  [
    'an unknown volume mode',
    { volumeMode: 'Tape' },
    ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
  ],
  [
    'a source of a kind that core has not',
    { dataSource: { kind: 'VolumeSnapshot', name: 's' } },
    [
      'spec.dataSource: Invalid value: "VolumeSnapshot": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
    ],
  ],
])('%s', (_, spec, expected) => {
  expect(problems(persistentVolumeClaimStrategy, claim(spec))).toEqual(expected);
});

describe('of a claim that is there', () => {
  const bound = { status: { phase: 'Bound', capacity: { storage: '1Gi' } } };
  const growing = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    allowVolumeExpansion: true,
  };
  const immutable =
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for ' +
    'bound claims\n';
  const resize = 'spec.resources.requests.storage: Forbidden: ';

  test.each<[string, object, object, boolean, string[]]>([
    ['the volume is set once', claim({ volumeName: 'v' }), claim(), true, []],
    [
      'the volume stays',
      claim({ volumeName: 'w' }),
      claim({ volumeName: 'v' }),
      true,
      [`${immutable}spec.volumeName: "v" -> "w"`],
    ],
    [
      'the class stays',
      claim({ storageClassName: 'slow' }),
      claim(),
      true,
      [`${immutable}spec.storageClassName: "fast" -> "slow"`],
    ],
    ['the class may be filled in', claim(), claim({ storageClassName: undefined }), true, []],
    ['the size may grow where the class lets it', claim(sized('2Gi')), claim({}, bound), true, []],
    [
      'the size may not grow where the class does not',
      claim(sized('2Gi')),
      claim({}, bound),
      false,
      [
        `${resize}only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize`,
      ],
    ],
    [
      'the size may not shrink below what is there',
      claim(sized('512Mi')),
      claim({}, bound),
      true,
      [`${resize}field can not be less than status.capacity`],
    ],
    ['a resize that has not happened may be taken back', claim(), claim(sized('2Gi'), bound), true, []],
    [
      'the size stays until the claim is bound',
      claim(sized('2Gi')),
      claim({}, { status: { phase: 'Pending' } }),
      true,
      [`${immutable}spec.resources.requests.storage: "1Gi" -> "2Gi"`],
    ],
  ])('%s', (_, now, old, grows, expected) => {
    const context = contextOf({ stored: [{ ...growing, allowVolumeExpansion: grows }] });
    expect(changeProblems(persistentVolumeClaimStrategy, now, old, context)).toEqual(expected);
  });
});
