import type { Persisted, PersistentVolumeClaim } from '@vireo/api';
import type { DataVolume, DataVolumeStatus } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { ALLOCATED_BYTES, DISK_BYTES } from '@vireo/api/kinds/cdi/names.ts';
import type { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import type { ImageActions } from './act.ts';
import { dataVolumeFor } from './dataVolume.ts';
import { reconcileImage } from './reconcile.ts';
import { hasExceededRetries, imageStatus } from './status.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const URL = 'https://example.com/disk.img';

const image = (
  spec: Partial<VirtualMachineImage['spec']> = {},
  status: VirtualMachineImage['status'] = {},
): Persisted<VirtualMachineImage> =>
  persisted({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: { name: 'debian', namespace: 'shop', uid: 'image-uid' },
    spec: { displayName: 'Debian', sourceType: 'download', url: URL, retry: 1, ...spec },
    status,
  });

const dataVolume = (status: DataVolumeStatus, why = '', owner = 'image-uid'): Persisted<DataVolume> =>
  persisted({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: {
      name: 'debian',
      namespace: 'shop',
      ownerReferences: [{ apiVersion: 'v1', kind: 'x', name: 'x', uid: owner, controller: true }],
    },
    spec: {},
    status: { ...status, conditions: [{ type: 'Running', status: 'False', message: why }] },
  });

const claim = (annotations: Record<string, string> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'debian', annotations },
  spec: { storageClassName: 'local' },
});

const SIZES = { [DISK_BYTES]: '4194304', [ALLOCATED_BYTES]: '4096' };

const summary = (of: Persisted<VirtualMachineImage>, data: Parameters<typeof imageStatus>[1]): string[] =>
  (imageStatus(of, data, NOW).conditions ?? []).map(({ type, status, reason, message }) =>
    [type, status, reason, message].filter(Boolean).join(' '),
  );

describe('the status of an image', () => {
  it.each<[string, Persisted<VirtualMachineImage>, Parameters<typeof imageStatus>[1], string[]]>([
    [
      'that is on its way',
      image(),
      { dataVolume: dataVolume({ phase: 'ImportInProgress' }), claim: claim() },
      ['Initialized True Initialized', 'Imported Unknown Importing', 'RetryLimitExceeded False'],
    ],
    [
      'whose claim does not tell its size yet',
      image(),
      { dataVolume: dataVolume({ phase: 'Succeeded' }), claim: claim() },
      ['Initialized True Initialized', 'Imported Unknown Importing', 'RetryLimitExceeded False'],
    ],
    [
      'that is there',
      image(),
      { dataVolume: dataVolume({ phase: 'Succeeded' }), claim: claim(SIZES) },
      ['Initialized True Initialized', 'Imported True Imported', 'RetryLimitExceeded False'],
    ],
    [
      'that failed once and may again',
      image(),
      { dataVolume: dataVolume({ phase: 'ImportInProgress', restartCount: 1 }, 'no answer'), claim: claim() },
      ['Initialized True Initialized', 'Imported Unknown Importing no answer', 'RetryLimitExceeded False no answer'],
    ],
    [
      'that failed too often',
      image(),
      { dataVolume: dataVolume({ phase: 'ImportInProgress', restartCount: 2 }, 'no answer'), claim: claim() },
      ['Initialized True Initialized', 'Imported False ImportFailed no answer', 'RetryLimitExceeded True no answer'],
    ],
    [
      'that no retry can help',
      image(),
      { dataVolume: dataVolume({ phase: 'Failed' }, 'the checksum is'), claim: claim() },
      [
        'Initialized True Initialized',
        'Imported False ImportFailed the checksum is',
        'RetryLimitExceeded True the checksum is',
      ],
    ],
    [
      'whose upload was bad: it can be sent again, however often',
      image({ sourceType: 'upload' }),
      { dataVolume: dataVolume({ phase: 'UploadReady', restartCount: 7 }, 'no disk'), claim: claim() },
      ['Initialized True Initialized', 'Imported False UploadFailed no disk', 'RetryLimitExceeded False'],
    ],
    [
      'that nothing brings',
      image(),
      { dataVolume: undefined, claim: undefined, problem: 'taken' },
      ['Initialized False Failed taken', 'Imported Unknown Importing', 'RetryLimitExceeded False'],
    ],
  ])('%s', (_, of, data, expected) => {
    expect(summary(of, data)).toEqual(expected);
  });

  it('has sizes, class and progress', () => {
    const halfway = dataVolume({ phase: 'ImportInProgress', progress: '42.17%' });
    expect(imageStatus(image(), { dataVolume: halfway, claim: claim() }, NOW)).toMatchObject({
      appliedUrl: URL,
      progress: 42,
      storageClassName: 'local',
    });
    const nearly = dataVolume({ phase: 'ImportInProgress', progress: '100.0%' });
    expect(imageStatus(image(), { dataVolume: nearly, claim: claim() }, NOW).progress).toBe(99);
    const done = dataVolume({ phase: 'Succeeded', progress: '100.0%' });
    expect(imageStatus(image(), { dataVolume: done, claim: claim(SIZES) }, NOW)).toMatchObject({
      progress: 100,
      size: 4096,
      virtualSize: 4194304,
    });
  });

  it('that says the same as before is the same', () => {
    const data = { dataVolume: dataVolume({ phase: 'ImportInProgress', restartCount: 1 }, 'x'), claim: claim() };
    const first = imageStatus(image(), data, NOW);
    expect(imageStatus(image({}, first), data, new Date('2027-01-01T00:00:00Z'))).toEqual(first);
  });

  it('forgets its failures when it is to come from elsewhere', () => {
    const tooOften = { dataVolume: dataVolume({ phase: 'x', restartCount: 2 }), claim: claim() };
    const status = imageStatus(image(), tooOften, NOW);
    expect(hasExceededRetries(image({}, status))).toBe(true);
    const moved = image({ url: 'https://example.com/other.img' }, status);
    expect(hasExceededRetries(moved)).toBe(false);
    expect(imageStatus(moved, { dataVolume: undefined, claim: undefined }, NOW)).toMatchObject({
      appliedUrl: 'https://example.com/other.img',
      failed: 0,
    });
  });
});

describe('an image', () => {
  const acted = async (
    of: Persisted<VirtualMachineImage>,
    found: Persisted<DataVolume> | undefined,
  ): Promise<string[]> => {
    const done: string[] = [];
    const act: ImageActions = {
      create: async (draft) => {
        done.push('create');
        return draft as Persisted<DataVolume>;
      },
      remove: async () => void done.push('remove'),
      writeStatus: async () => void done.push('status'),
    };
    await reconcileImage({ image: of, dataVolume: found, claim: claim(), now: NOW }, act);
    return done;
  };
  const givenUp = { appliedUrl: URL, conditions: [{ type: 'RetryLimitExceeded', status: 'True' }] };

  it.each<[string, Persisted<VirtualMachineImage>, Persisted<DataVolume> | undefined, string[]]>([
    ['gets its DataVolume', image(), undefined, ['create', 'status']],
    ['keeps it', image(), dataVolume({ phase: 'ImportInProgress' }), ['status']],
    ['takes no other for its own', image(), dataVolume({}, '', 'somebody'), ['create', 'status']],
    ['that is given up is not tried again', image({}, givenUp), dataVolume({ phase: 'ImportInProgress' }), ['remove']],
    ['that is given up has none', image({}, givenUp), undefined, []],
    ['whose failure was final shows it', image({}, givenUp), dataVolume({ phase: 'Failed' }), []],
    ['begins anew from another address', image({ url: 'https://b' }, givenUp), dataVolume({ phase: 'x' }), ['remove']],
  ])('%s', async (_, of, found, expected) => {
    expect(await acted(of, found)).toEqual(expected);
  });

  it.each<[Partial<VirtualMachineImage['spec']>, unknown]>([
    [{}, { http: { url: URL } }],
    [{ checksum: 'ab' }, { http: { url: URL, checksum: 'sha512:ab' } }],
    [{ sourceType: 'upload' }, { upload: {} }],
    [
      { sourceType: 'export-from-volume', pvcName: 'root', pvcNamespace: 'other' },
      { pvc: { namespace: 'other', name: 'root' } },
    ],
    [{ sourceType: 'restore' }, undefined],
  ])('with %j comes from %j', (spec, source) => {
    expect(dataVolumeFor(image(spec))?.spec.source).toEqual(source);
  });
});
