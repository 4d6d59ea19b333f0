import { applyJsonPatch } from '@vireo/api/jsonPatch.ts';
import { leftOut } from '@vireo/api/kinds/clone/filters.ts';
import { clonePatches } from '@vireo/api/kinds/clone/patches.ts';
import { restoredVm } from '@vireo/api/kinds/snapshot/restoredVm.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import type { Restore } from '../restore/kinds.ts';
import type { Content, Snapshot } from '../snapshot/kinds.ts';
import { vmWith } from '../testing/objects.ts';
import { type CloneState, decide } from './decide.ts';
import type { Clone } from './kinds.ts';

const clone = (spec: Partial<Clone['spec']> = {}, status: Clone['status'] = {}): Clone =>
  persisted({
    apiVersion: 'clone.kubevirt.io/v1beta1',
    kind: 'VirtualMachineClone',
    metadata: { name: 'twin', namespace: 'shop', uid: 'k-1' },
    spec: {
      source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' },
      target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'twin' },
      ...spec,
    },
    status,
  });

const snapshotSource = { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'first' };

describe('filters', () => {
  const keys = ['app', 'team/a', 'team/b', 'a.b'];
  it.each([
    [undefined, []],
    [[], []],
    [['*'], []],
    [[''], keys],
    [['team/*'], ['app', 'a.b']],
    [['*', '!team/b'], ['team/b']],
    [['!team/*'], ['team/a', 'team/b']],
    [['!app', 'app'], keys],
    [['a.b'], ['app', 'team/a', 'team/b']],
    [['aXb', 'a?b'], keys],
  ])('%j leave out %j', (filters, expected) => {
    expect(leftOut(keys, filters)).toEqual(expected);
  });
});

describe('what changes on the copy', () => {
  const vm = {
    metadata: { name: 'web', labels: { app: 'web', 'team/x': '1' } },
    spec: vmWith({
      template: {
        metadata: { labels: { 'kubevirt.io/domain': 'web' } },
        spec: {
          domain: {
            firmware: { uuid: 'u', serial: 's' },
            devices: {
              interfaces: [
                { name: 'one', macAddress: '02:00:00:00:00:01' },
                { name: 'two', macAddress: '02:00:00:00:00:02' },
                { name: 'three' },
              ],
            },
          },
        },
      },
    }).spec,
  };
  const applied = (spec: Partial<Clone['spec']>): unknown =>
    applyJsonPatch(
      vm,
      clonePatches(clone(spec), vm).map((patch) => JSON.parse(patch) as unknown),
    );

  it('is the identity of the VM', () => {
    expect(applied({ newMacAddresses: { two: '02:00:00:00:00:09' } })).toMatchObject({
      metadata: { labels: vm.metadata.labels },
      spec: {
        template: {
          spec: {
            domain: {
              firmware: {},
              devices: {
                interfaces: [{ name: 'one' }, { name: 'two', macAddress: '02:00:00:00:00:09' }, { name: 'three' }],
              },
            },
          },
        },
      },
    });
    expect(JSON.stringify(applied({}))).not.toMatch(/macAddress|uuid|serial/);
  });

  it('is what the clone asks for, patches last', () => {
    expect(
      applied({
        newSMBiosSerial: 'new',
        labelFilters: ['*', '!team/*'],
        template: { labelFilters: ['nothing'] },
        patches: ['{"op":"add","path":"/metadata/labels/app","value":"twin"}'],
      }),
    ).toMatchObject({
      metadata: { labels: { app: 'twin' } },
      spec: { template: { metadata: { labels: {} }, spec: { domain: { firmware: { serial: 'new' } } } } },
    });
  });

  it('a vm that was made by kubectl apply can be cloned with annotation filters', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'team/a': '1', 'team/b': '2' };
    const source = { ...vm, metadata: { ...vm.metadata, annotations } };
    const patches = clonePatches(clone({ annotationFilters: ['team/*', '!team/b'] }), source);
    const copy = restoredVm(source.metadata, source.spec, { name: 'twin', namespace: 'shop' });
    const patched = applyJsonPatch(
      copy,
      patches.map((patch) => JSON.parse(patch) as unknown),
    );
    expect(patched).toMatchObject({ metadata: { name: 'twin', annotations: { 'team/a': '1' } } });
    expect(JSON.stringify(patched)).not.toMatch(/last-applied|team\/b/);
  });
});

describe('what comes next for a clone', () => {
  const snapshot = (status: Snapshot['status']): Snapshot =>
    persisted({
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineSnapshot',
      metadata: { name: 'tmp-snapshot-k-1' },
      spec: { source: clone().spec.source },
      ...(status && { status }),
    });
  const content = (spec: Content['spec']['source']['virtualMachine']): Content =>
    persisted({
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineSnapshotContent',
      metadata: { name: 'c' },
      spec: { source: { ...(spec && { virtualMachine: spec }) } },
    });
  const restore = (status: Restore['status']): Restore =>
    persisted({
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineRestore',
      metadata: { name: 'tmp-restore-k-1', uid: 'r' },
      spec: { target: clone().spec.source, virtualMachineSnapshotName: 'tmp-snapshot-k-1' },
      ...(status && { status }),
    });
  const ready = snapshot({ phase: 'Succeeded', readyToUse: true });
  const whole = content({ spec: vmWith().spec });
  const tpm = vmWith({ template: { spec: { domain: { devices: { tpm: { persistent: true } } } } } });
  const mine = vmWith(
    {},
    {},
    { name: 'twin', annotations: { 'restore.kubevirt.io/lastRestoreUID': 'tmp-restore-k-1-r' } },
  );
  const failure = { conditions: [{ type: 'Failure', status: 'True', reason: 'no' }] };
  const done = clone({}, { phase: 'Succeeded', snapshotName: 's', restoreName: 'r' });
  const claim = (phase: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {},
    status: { phase },
  });

  it.each<[when: string, state: Partial<CloneState>, step: string]>([
    ['there is nothing to copy', { source: undefined }, 'pend'],
    ['its disks cannot be kept', { storageProblem: 'no' }, 'pend'],
    ['its firmware remembers', { source: tpm }, 'fail'],
    ['all is well', {}, 'createSnapshot'],
    ['the copy is there already', { target: vmWith() }, 'fail'],
    ['the snapshot is being taken', { snapshot: snapshot({ phase: 'InProgress' }) }, 'awaitSnapshot'],
    ['the snapshot failed', { snapshot: snapshot({ phase: 'Failed' }) }, 'fail'],
    ['the snapshot is there', { snapshot: ready, content: whole }, 'createRestore'],
    ['the snapshot has no VM', { snapshot: ready, content: content(undefined) }, 'fail'],
    ['the snapshot is of such firmware', { snapshot: ready, content: content({ spec: tpm.spec }) }, 'fail'],
    ['the restore works', { snapshot: ready, restore: restore({}) }, 'awaitRestore'],
    ['the restore failed', { snapshot: ready, restore: restore(failure) }, 'fail'],
    ['the restore is done', { snapshot: ready, restore: restore({ complete: true }), target: mine }, 'succeed'],
    ['a claim waits for its data', { clone: done, restore: restore({}), claims: [claim('Pending')] }, 'none'],
    ['all claims have their data', { clone: done, restore: restore({}), claims: [claim('Bound')] }, 'clear'],
    ['it is all over', { clone: clone({}, { phase: 'Succeeded' }) }, 'none'],
    ['it has failed', { clone: clone({}, { phase: 'Failed' }) }, 'none'],
    ['it has failed with a snapshot', { clone: clone({}, { phase: 'Failed' }), snapshot: ready }, 'clear'],
    ['it has failed with a restore', { clone: clone({}, { phase: 'Failed' }), restore: restore(failure) }, 'clear'],
    ['it has failed, and names what is gone', { clone: clone({}, { phase: 'Failed', snapshotName: 's' }) }, 'clear'],
    [
      'it has failed, and the snapshot is not its own',
      { clone: clone({ source: snapshotSource }, { phase: 'Failed' }), snapshot: ready },
      'none',
    ],
  ])('when %s', (_, state, step) => {
    const given: CloneState = {
      clone: clone(),
      source: vmWith(),
      snapshot: undefined,
      content: undefined,
      restore: undefined,
      target: undefined,
      storageProblem: undefined,
      claims: [],
    };
    expect(decide({ ...given, ...state }).step).toBe(step);
  });
});
