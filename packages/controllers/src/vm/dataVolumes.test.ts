import type { PersistentVolumeClaim } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { UPLOAD_TARGET } from '@vireo/api/kinds/cdi/names.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { type Disks, unfilledClaim } from '../claims.ts';
import { areTemplatesReady, missingDataVolumes, storageState, unfilledCondition } from './dataVolumes.ts';

const vm: Vm = persisted({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
  spec: {
    template: {
      spec: {
        domain: { devices: {} },
        volumes: [
          { name: 'root', dataVolume: { name: 'web-root' } },
          { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        ],
      },
    },
    dataVolumeTemplates: [
      { metadata: { name: 'web-root', labels: { a: 'b' } }, spec: { source: { blank: {} }, storage: {} } },
    ],
  },
});

const dataVolume = (phase: string, runningReason = ''): DataVolume => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name: 'web-root' },
  spec: {},
  status: { phase, conditions: [{ type: 'Running', status: 'False', reason: runningReason }] },
});

const claim = (phase: string, annotations: Record<string, string> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'x', annotations },
  status: { phase },
});

const disks = (of: { dv?: DataVolume; root?: PersistentVolumeClaim; data?: PersistentVolumeClaim }): Disks => ({
  dataVolume: (name) => (name === 'web-root' ? of.dv : undefined),
  claim: (name) => (name === 'web-root' ? of.root : of.data),
});

describe('the DataVolumes of a VM', () => {
  const running = { type: 'Running', status: 'True', message: 'building the guest image, step 3 of 5: unpacking' };
  it.each<[string, DataVolume['status'], string | undefined]>([
    ['that are filled', { phase: 'Succeeded', progress: '100.0%' }, undefined],
    ['that wait for a consumer', { phase: 'WaitForFirstConsumer' }, undefined],
    ['that nobody knows yet', undefined, 'DataVolume web-root is Pending'],
    ['of unknown progress', { phase: 'CloneInProgress', progress: 'N/A' }, 'DataVolume web-root is CloneInProgress'],
    [
      'that are imported',
      { phase: 'ImportInProgress', progress: '42.00%' },
      'DataVolume web-root is ImportInProgress, 42.00%',
    ],
    [
      'whose image is built',
      { phase: 'ImportInProgress', progress: 'N/A', conditions: [running] },
      'DataVolume web-root is ImportInProgress: building the guest image, step 3 of 5: unpacking',
    ],
    [
      'that cannot be filled',
      { phase: 'ImportInProgress', conditions: [{ ...running, status: 'False', reason: 'Error', message: 'no host' }] },
      'DataVolume web-root is ImportInProgress: no host',
    ],
    [
      'that have failed',
      { phase: 'Failed', conditions: [{ ...running, status: 'False', reason: 'Error', message: 'too small' }] },
      'DataVolume web-root is Failed: too small',
    ],
  ])('%s: the VM says what it waits for', (_, status, message) => {
    const dv = { ...dataVolume(''), ...{ status } };
    expect(unfilledCondition(vm, disks({ dv }))?.message).toBe(message);
  });

  it('are made when neither they nor their claims are there', () => {
    expect(missingDataVolumes(vm, disks({}))).toMatchObject([
      {
        metadata: {
          name: 'web-root',
          namespace: 'shop',
          labels: { a: 'b', 'kubevirt.io/created-by': 'u1' },
          ownerReferences: [{ kind: 'VirtualMachine', name: 'web', controller: true }],
        },
        spec: { source: { blank: {} } },
      },
    ]);
    expect(missingDataVolumes(vm, disks({ dv: dataVolume('Pending') }))).toEqual([]);
    expect(missingDataVolumes(vm, disks({ root: claim('Bound') }))).toEqual([]);
  });

  it.each<[boolean, string, Parameters<typeof disks>[0]]>([
    [false, 'is not there', {}],
    [false, 'is being filled', { dv: dataVolume('ImportInProgress') }],
    [true, 'is filled', { dv: dataVolume('Succeeded') }],
    [true, 'waits for the VM', { dv: dataVolume('WaitForFirstConsumer') }],
    [true, 'is gone and its claim has the data', { root: claim('Bound') }],
    [false, 'is gone and its claim waits', { root: claim('Bound', { [UPLOAD_TARGET]: '' }) }],
  ])('let it start: %s, when one %s', (isReady, _, of) => {
    expect(areTemplatesReady(vm, disks(of))).toBe(isReady);
  });
});

it.each<[string, Parameters<typeof disks>[0]]>([
  ['failed', { dv: dataVolume('Failed') }],
  ['failed', { dv: dataVolume('ImportInProgress', 'Error') }],
  ['provisioning', { dv: dataVolume('ImportInProgress'), data: claim('Pending') }],
  ['waitingForBinding', { dv: dataVolume('Succeeded'), root: claim('Bound'), data: claim('Pending') }],
  ['waitingForBinding', { dv: dataVolume('WaitForFirstConsumer'), root: claim('Pending') }],
  ['ready', { dv: dataVolume('Succeeded'), root: claim('Bound'), data: claim('Bound') }],
])('storage is %s', (expected, of) => {
  expect(storageState(vm, true, disks(of))).toBe(expected);
});

it('a launcher waits for a claim that is being filled, unless it is what that waits for', () => {
  const vmi: Vmi = { ...vm, kind: 'VirtualMachineInstance', spec: vm.spec.template.spec as Vmi['spec'], status: {} };
  const unfilled = claim('Bound', { [UPLOAD_TARGET]: '' });
  expect(unfilledClaim(vmi, disks({ root: unfilled }))).toEqual({ volume: 'root', claim: 'web-root' });
  expect(unfilledClaim(vmi, disks({ root: unfilled, dv: dataVolume('WaitForFirstConsumer') }))).toBeUndefined();
  expect(unfilledClaim(vmi, disks({ root: claim('Bound'), data: claim('Pending') }))).toBeUndefined();
});
