import type { PersistentVolumeClaim } from '@vireo/api';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { expect, it } from 'vitest';
import { vmWith } from '../testing/objects.ts';
import { hasMoves, movedTemplates } from './moved.ts';

const listed = JSON.stringify([
  { metadata: { name: 'old' }, spec: { resources: {} }, targetVolume: 'new' },
  { metadata: { name: 'data' }, spec: { resources: {} } },
]);
const on = (claimName: string) => ({
  domain: { devices: {} },
  volumes: [
    { name: 'root', persistentVolumeClaim: { claimName } },
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
  ],
});
const vm = (claim: string, status: object = {}) =>
  vmWith({ template: { spec: on(claim) } }, status, { annotations: { [VOLUME_CLAIM_TEMPLATES]: listed } });
const moving = [{ volumeName: 'root', sourcePVCInfo: { claimName: 'old' }, destinationPVCInfo: { claimName: 'new' } }];
const vmi = (claim: string, migratedVolumes: object[] = []) =>
  ({ metadata: { name: 'web' }, spec: on(claim), status: { migratedVolumes } }) as unknown as Vmi;
const resources = { requests: { storage: '2Gi' } };
const claimOf = (name: string) =>
  ({ metadata: { name }, spec: { resources, volumeName: 'pv-1' } }) as unknown as PersistentVolumeClaim;
const namesIn = (text: string | undefined) =>
  text &&
  (JSON.parse(text) as { metadata: object; targetVolume?: string }[]).map(({ metadata, targetVolume }) => ({
    ...metadata,
    ...(targetVolume && { targetVolume }),
  }));

it.each([
  ['a disk that has not begun to move', vm('new'), vmi('old')],
  ['a disk on its way', vm('new'), vmi('new', moving)],
  [
    'a disk on its way whose guest has ended',
    vm('new', { volumeUpdateState: { volumeMigrationState: {} } }),
    undefined,
  ],
])('%s leaves the list as it is', (_, given, guest) => {
  expect(hasMoves(given)).toBe(true);
  expect(movedTemplates(given, guest, claimOf)).toBeUndefined();
});

it('a disk that has arrived has the list name its new claim, without what the claim was given', () => {
  const text = movedTemplates(vm('new'), vmi('new'), claimOf);
  expect(namesIn(text)).toEqual([{ name: 'new' }, { name: 'data' }]);
  expect(text).not.toContain('pv-1');
  expect(text).toContain('2Gi');
});

it('a disk that was set back has the list forget where it was to move', () => {
  expect(namesIn(movedTemplates(vm('old'), vmi('old'), claimOf))).toEqual([{ name: 'old' }, { name: 'data' }]);
});
