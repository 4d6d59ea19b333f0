import type { Persisted, PersistentVolumeClaim } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith } from '../testing/objects.ts';
import {
  backendStorageClaim,
  currentBackendStorageClaim,
  hasBackendStorage,
  withBackendStorageClaim,
} from './backendStorage.ts';

const domain = (changes: Partial<Vmi['spec']['domain']>): Vmi =>
  vmiWith({}, {}, { domain: { devices: {}, ...changes } });

describe('a claim for the state of firmware is needed', () => {
  it.each([
    ['for nothing', domain({}), false],
    ['for a TPM that forgets', domain({ devices: { tpm: {} } }), false],
    ['for a TPM that remembers', domain({ devices: { tpm: { persistent: true } } }), true],
    ['for no TPM at all', domain({ devices: { tpm: { persistent: true, enabled: false } } }), false],
    ['for UEFI that forgets', domain({ firmware: { bootloader: { efi: {} } } }), false],
    ['for UEFI that remembers', domain({ firmware: { bootloader: { efi: { persistent: true } } } }), true],
  ])('%s: %#', (_, vmi, isNeeded) => {
    expect(hasBackendStorage(vmi)).toBe(isNeeded);
  });
});

describe('the claim', () => {
  it('belongs to the VM, and is the same for each of its VMIs', () => {
    const first = backendStorageClaim(vmiWith({}, { uid: 'one' }), clusterConfig(undefined));
    const second = backendStorageClaim(vmiWith({}, { uid: 'two' }), clusterConfig(undefined));
    expect(first).toEqual(second);
    expect(first.metadata).toMatchObject({
      name: expect.stringMatching(/^persistent-state-for-web-[a-z0-9]{5}$/),
      namespace: 'shop',
      labels: { 'persistent-state-for': 'web' },
      ownerReferences: [{ kind: 'VirtualMachine', name: 'web', uid: 'vm-uid' }],
    });
    expect(first.spec).not.toHaveProperty('storageClassName');
  });

  it('belongs to a VMI that has no VM', () => {
    const { metadata } = backendStorageClaim(vmiWith({}, { ownerReferences: undefined }), clusterConfig(undefined));
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachineInstance', uid: 'vmi-uid' }]);
  });

  it('is of the class that the installation names', () => {
    const configuration = { vmStateStorageClass: 'safe' };
    expect(backendStorageClaim(vmiWith(), { configuration }).spec?.storageClassName).toBe('safe');
  });
});

const claim = (name: string, creationTimestamp: string, metadata: object = {}): Persisted<PersistentVolumeClaim> =>
  persisted({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, creationTimestamp, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Mi' } } },
  });

it('the newest state claim that is not being deleted counts', () => {
  const claims = [
    claim('old', '2026-01-01T00:00:00Z'),
    claim('new', '2026-01-02T00:00:00Z'),
    claim('going', '2026-01-03T00:00:00Z', deleting),
  ];
  expect(currentBackendStorageClaim(claims)?.metadata.name).toBe('new');
  expect(currentBackendStorageClaim([])).toBeUndefined();
});

it('the status of the VMI lists the state claim once', () => {
  const told = withBackendStorageClaim([{ name: 'root', target: 'vda' }], claim('persistent-state-for-web-x', ''));
  expect(told.map(({ name }) => name)).toEqual(['persistent-state-for-web-x', 'root']);
  expect(told[0]?.persistentVolumeClaimInfo).toMatchObject({
    claimName: 'persistent-state-for-web-x',
    accessModes: ['ReadWriteOnce'],
    requests: { storage: '10Mi' },
  });
  expect(withBackendStorageClaim(told, claim('persistent-state-for-web-x', ''))).toEqual(told);
});
