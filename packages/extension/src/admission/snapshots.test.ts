import type { FieldError } from '@vireo/api';
import { VirtualMachineClone } from '@vireo/api/kinds/clone/virtualMachineClone.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { Client, type Transport } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';
import { vmWith } from '../testing/vms.ts';
import { specErrors as cloneErrors } from './clone.ts';
import { specErrors as restoreErrors } from './restore.ts';
import { snapshotValidation } from './snapshot.ts';
import { snapshotInProgressErrors } from './snapshotInProgress.ts';

const vm = (name = 'web') => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name });
const fields = (errors: readonly FieldError[]): string[] => errors.map(({ field }) => field);

describe('the spec of a restore', () => {
  const spec = { target: vm(), virtualMachineSnapshotName: 'first' };
  it.each<[wrong: string, more: object, field: string | undefined]>([
    ['nothing', {}, undefined],
    ['no group', { target: { kind: 'VirtualMachine', name: 'web' } }, 'spec.target.apiGroup'],
    ['another group', { target: { ...vm(), apiGroup: 'apps' } }, 'spec.target.apiGroup'],
    ['another kind', { target: { ...vm(), kind: 'VirtualMachineInstance' } }, 'spec.target.kind'],
    ['no name of a VM', { target: vm('No Name') }, 'spec.target.name'],
    ['no snapshot', { virtualMachineSnapshotName: '' }, 'spec.virtualMachineSnapshotName'],
    ['no policy', { volumeRestorePolicy: 'Sometimes' }, 'spec.volumeRestorePolicy'],
    ['no owner', { volumeOwnershipPolicy: 'Me' }, 'spec.volumeOwnershipPolicy'],
    [
      'an override of nothing',
      { volumeRestoreOverrides: [{ restoreName: 'x' }] },
      'spec.volumeRestoreOverrides[0].volumeName',
    ],
    [
      'an override that changes nothing',
      { volumeRestoreOverrides: [{ volumeName: 'x' }] },
      'spec.volumeRestoreOverrides[0]',
    ],
    [
      'a claim of no name',
      { volumeRestoreOverrides: [{ volumeName: 'x', restoreName: '../x' }] },
      'spec.volumeRestoreOverrides[0].restoreName',
    ],
    [
      'a claim with no value of a label',
      { volumeRestoreOverrides: [{ volumeName: 'x', labels: { team: 'a b' } }] },
      'spec.volumeRestoreOverrides[0].labels',
    ],
    ['no JSON', { patches: ['{'] }, 'spec.patches[0]'],
    ['no operation', { patches: ['{"path":"/spec/x"}'] }, 'spec.patches[0]'],
    ['a patch of the name', { patches: ['{"op":"add","path":"/metadata/name","value":"x"}'] }, 'spec.patches[0]'],
    ['a copy of the status', { patches: ['{"op":"copy","path":"/spec/x","from":"/status/x"}'] }, 'spec.patches[0]'],
    [
      'a patch of templates of disks',
      { patches: ['{"op":"add","path":"/spec/dataVolumeTemplates/0","value":{}}'] },
      'spec.patches[0]',
    ],
    ['a good patch', { patches: ['{"op":"remove","path":"/spec/running"}'] }, undefined],
  ])('with %s', (_, more, field) => {
    expect(fields(restoreErrors({ ...spec, ...more }))).toEqual(field ? [field] : []);
  });
});

describe('the spec of a clone', () => {
  const spec = { source: vm(), target: vm('twin') };
  it.each<[wrong: string, more: object, field: string | undefined]>([
    ['nothing', {}, undefined],
    [
      'a snapshot as source',
      { source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'x' } },
      undefined,
    ],
    ['a kind of another group', { source: { ...vm(), kind: 'VirtualMachineSnapshot' } }, 'spec.source.kind'],
    ['itself as target', { target: vm() }, 'spec.target.name'],
    ['no address', { newMacAddresses: { default: 'here' } }, 'spec.newMacAddresses[default]'],
    ['no filter', { template: { labelFilters: ['a', 'b c'] } }, 'spec.template.labelFilters[1]'],
    ['filters', { labelFilters: ['*', '!team/*', ''] }, undefined],
    ['claims in place', { volumeNamePolicy: 'InPlace' }, 'spec.volumeNamePolicy'],
    ['a patch of the kind', { patches: ['{"op":"replace","path":"/kind","value":"x"}'] }, 'spec.patches[0]'],
  ])('with %s', (_, more, field) => {
    expect(fields(cloneErrors({ ...spec, ...more }))).toEqual(field ? [field] : []);
  });
});

describe('a VM that is held', () => {
  const updateErrors = (status: VirtualMachine['status'], spec: Partial<VirtualMachine['spec']>) =>
    snapshotInProgressErrors({
      operation: 'UPDATE',
      user: { username: 'jane', groups: [] },
      oldObject: vmWith({ status }),
      object: vmWith({ status, ...spec }),
    });
  const disks = {
    runStrategy: 'Halted',
    template: { spec: { domain: { devices: {} }, volumes: [{ name: 'x', emptyDisk: { capacity: '1Gi' } }] } },
  };
  const memory = { runStrategy: 'Halted', template: { spec: { domain: { devices: {}, memory: { guest: '1Gi' } } } } };
  it.each<
    [what: string, status: VirtualMachine['status'], spec: Partial<VirtualMachine['spec']>, field: string | undefined]
  >([
    ['by nobody is free', {}, { runStrategy: 'Always' }, undefined],
    ['by a snapshot is not started', { snapshotInProgress: 's' }, { runStrategy: 'Always' }, 'spec.runStrategy'],
    ['by a snapshot keeps its disks', { snapshotInProgress: 's' }, disks, 'spec.template.spec.volumes'],
    ['by a snapshot may get more memory', { snapshotInProgress: 's' }, memory, undefined],
    ['by a restore is not started', { restoreInProgress: 'r' }, { runStrategy: 'Always' }, 'spec.runStrategy'],
    ['by a restore gets its disks', { restoreInProgress: 'r' }, disks, undefined],
  ])('%s', (_, status, spec, field) => {
    expect(fields(updateErrors(status, spec))).toEqual(field ? [field] : []);
  });
});

describe('on a server', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await install();
  });
  afterAll(() => installation?.close());
  const at = { namespace: 'default' };
  const client = () => installation.server.client;
  const snapshots = () => client().of(VirtualMachineSnapshot);
  const restores = () => client().of(VirtualMachineRestore);
  const template = { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } };
  const makeVm = (name: string) =>
    client()
      .of(VirtualMachine)
      .create({ metadata: { name, ...at }, spec: { runStrategy: 'Halted', template } });
  const restore = (name: string, spec: Partial<VirtualMachineRestore['spec']>) =>
    restores().create({
      metadata: { name, ...at },
      spec: { target: vm('web'), virtualMachineSnapshotName: 'first', ...spec },
    });

  it.each<[string, object, object, string | undefined]>([
    ['no disk on a claim', {}, {}, 'none of its disks is on a claim'],
    [
      'storage that supports no snapshots',
      { volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'x' } }] },
      { volumeSnapshotStatuses: [{ name: 'root', enabled: false }] },
      'the storage of its claims does not support snapshots',
    ],
    [
      'disks that can be kept',
      { volumes: [{ name: 'root', dataVolume: { name: 'x' } }] },
      { volumeSnapshotStatuses: [{ name: 'root', enabled: true }] },
      undefined,
    ],
  ])('whoever takes a snapshot of a VM with %s hears of it', async (_, template, status, why) => {
    const source = vmWith({ template: { spec: { domain: { devices: {} }, ...template } } });
    const stored = { ...source, metadata: { ...source.metadata, ...at }, status };
    const serving = new Client({
      call: async () => ({ status: 200, headers: {}, body: stored }),
    } as unknown as Transport);
    const object = { metadata: { name: 's', ...at }, spec: { source: vm('web') } } as VirtualMachineSnapshot;
    const admission = { operation: 'CREATE', object, user: { username: 'jane', groups: [] } } as const;
    const { errors, warnings } = await snapshotValidation.validate(admission, {
      client: serving,
      config: async () => clusterConfig(undefined),
    });
    expect(errors).toEqual([]);
    expect(warnings).toEqual(
      why ? [`VirtualMachine default/web: ${why}, so the snapshot contains its configuration only, and no data.`] : [],
    );
  });

  it('snapshots are checked, and stay what they are', async () => {
    const web = await makeVm('web');
    const wrong = { source: vm(), failureDeadline: 'soon', deletionPolicy: 'Maybe' };
    await expect(snapshots().create({ metadata: { name: 'wrong', ...at }, spec: wrong })).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining('spec.failureDeadline is "soon"'),
    });
    const old = client().of({ ...VirtualMachineSnapshot, version: 'v1alpha1' });
    await expect(old.create({ metadata: { name: 'wrong', ...at }, spec: wrong })).rejects.toMatchObject({ code: 422 });
    await old.create({ metadata: { name: 'first', ...at }, spec: { source: vm() } });
    const change = { spec: { source: vm('other') } };
    await expect(snapshots().patch('first', change, { ...at, type: 'merge' })).rejects.toThrow(
      'spec is immutable after creation',
    );
    await expect(restore('early', {})).rejects.toThrow('VirtualMachineSnapshot "first" is not ready to use');
    const status = { readyToUse: true, phase: 'Succeeded', sourceUID: web.metadata.uid };
    await snapshots().patchStatus('first', { status }, { ...at, type: 'merge' });
  });

  it('restores are refused by what there is', async () => {
    await makeVm('other');
    await expect(restore('x', { virtualMachineSnapshotName: 'nothing' })).rejects.toThrow('"nothing" does not exist');
    await expect(restore('x', { target: vm('other') })).rejects.toThrow(
      'VirtualMachine "other" exists and is not the source of snapshot "first"',
    );
    await restore('one', {});
    await expect(restore('two', {})).rejects.toThrow('VirtualMachineRestore "one" of web is in progress');
    await restores().patchStatus('one', { status: { complete: true } }, { ...at, type: 'merge' });
    await restore('two', {});
  });

  it('what firmware remembers is not given to another VM', async () => {
    const efi = { bootloader: { efi: { persistent: true } } };
    const controller = 'system:serviceaccount:kubevirt:kubevirt-controller';
    const system = new Client(installation.server.inProcess({ username: controller, groups: ['system:masters'] }));
    const contents = system.of(VirtualMachineSnapshotContent);
    await contents.create({
      metadata: { name: 'kept', ...at },
      spec: {
        source: {
          virtualMachine: {
            metadata: { name: 'web' },
            spec: { template: { spec: { domain: { devices: {}, firmware: efi } } } },
          },
        },
      },
    });
    const status = { virtualMachineSnapshotContentName: 'kept' };
    await snapshots().patchStatus('first', { status }, { ...at, type: 'merge' });
    await expect(restore('new', { target: vm('new') })).rejects.toThrow('only be restored under its own name');
  });

  it('nobody but the system says what is in a content', async () => {
    const contents = client().of(VirtualMachineSnapshotContent);
    await expect(contents.create({ metadata: { name: 'own', ...at }, spec: { source: {} } })).rejects.toThrow(
      'create a VirtualMachineSnapshot',
    );
    const change = { spec: { virtualMachineSnapshotName: 'other' } };
    await expect(contents.patch('kept', change, { ...at, type: 'merge' })).rejects.toThrow('immutable');
  });

  it('a clone gets a name for its copy, and no name that is taken', async () => {
    const clones = client().of(VirtualMachineClone);
    const made = await clones.create({ metadata: { name: 'twin', ...at }, spec: { source: vm() } });
    expect(made.spec.target).toEqual({ ...vm(), name: expect.stringMatching(/^clone-web-\w{5}$/) });
    const taken = { metadata: { name: 'again', ...at }, spec: { source: vm(), target: vm('other') } };
    await expect(clones.create(taken)).rejects.toThrow('VirtualMachine "other" already exists');
  });

  describe('patches are tried on the VM', () => {
    const patch = (op: string, path: string, value?: unknown) => JSON.stringify({ op, path, value });
    const cases: readonly (readonly [what: string, patch: string, says: string | undefined])[] = [
      ['a run strategy', patch('add', '/spec/runStrategy', 'Manual'), undefined],
      ['a label', patch('add', '/metadata/labels/team', 'a'), undefined],
      ['no run strategy', patch('add', '/spec/runStrategy', 'Bogus'), 'spec.runStrategy: Invalid RunStrategy (Bogus)'],
      ['no value of a label', patch('add', '/metadata/labels/team', 'a b'), 'metadata.labels'],
      ['no labels', patch('add', '/metadata/labels/team', {}), 'metadata.labels.team is'],
      ['nothing to remove', patch('remove', '/spec/preference'), 'spec.patches[0]: '],
      ['another type', patch('add', '/spec/template/spec/volumes', 'none'), 'spec.template.spec.volumes is "none"'],
      ['a host of no name', patch('add', '/spec/template/spec/hostname', 'a_b'), 'spec.template.spec.hostname'],
      ['an instance type that may yet come', patch('add', '/spec/instancetype', { name: 'late' }), undefined],
      [
        'an instance type of no such kind',
        patch('add', '/spec/instancetype', { name: 'gone', kind: 'Flavor' }),
        'spec.instancetype',
      ],
    ];
    const expectOutcome = async (made: Promise<unknown>, says: string | undefined): Promise<void> => {
      if (!says) return void (await made);
      await expect(made).rejects.toMatchObject({
        code: 422,
        message: expect.stringContaining(says),
        status: { details: { causes: [{ field: expect.stringMatching(/^spec\.patches/) }] } },
      });
    };
    beforeAll(async () => {
      const controller = 'system:serviceaccount:kubevirt:kubevirt-controller';
      const system = new Client(installation.server.inProcess({ username: controller, groups: ['system:masters'] }));
      await makeVm('patched');
      const kept = { metadata: { name: 'patched' }, spec: { runStrategy: 'Always', template } };
      await system.of(VirtualMachineSnapshotContent).create({
        metadata: { name: 'patched', ...at },
        spec: { source: { virtualMachine: kept } },
      });
      await snapshots().create({ metadata: { name: 'patched', ...at }, spec: { source: vm('patched') } });
      const status = { readyToUse: true, phase: 'Succeeded', virtualMachineSnapshotContentName: 'patched' };
      await snapshots().patchStatus('patched', { status }, { ...at, type: 'merge' });
    });

    it.each(cases)('of a clone: %s', async (_, given, says) => {
      const spec = { source: vm('patched'), target: vm('copy'), patches: [given] };
      const made = client()
        .of(VirtualMachineClone)
        .create({ metadata: { generateName: 'c-', ...at }, spec });
      await expectOutcome(made, says);
    });

    it.each(cases)('of a clone of a snapshot: %s', async (_, given, says) => {
      const source = { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'patched' };
      const spec = { source, target: vm('copy'), patches: [given] };
      const made = client()
        .of(VirtualMachineClone)
        .create({ metadata: { generateName: 'c-', ...at }, spec });
      await expectOutcome(made, says);
    });

    it.each(cases)('of a restore to another VM: %s', async (what, given, says) => {
      const target = vm(`new-${cases.findIndex(([each]) => each === what)}`);
      const spec = { target, virtualMachineSnapshotName: 'patched', patches: [given] };
      await expectOutcome(restores().create({ metadata: { generateName: 'r-', ...at }, spec }), says);
    });

    it('of volumes are refused where the snapshot has no such volume', async () => {
      const volumeRestoreOverrides = [{ volumeName: 'rot', restoreName: 'x' }];
      const spec = { target: vm('new'), virtualMachineSnapshotName: 'patched', volumeRestoreOverrides };
      await expect(restores().create({ metadata: { name: 'over', ...at }, spec })).rejects.toThrow(
        'spec.volumeRestoreOverrides[0].volumeName: VirtualMachineSnapshot "patched" has no volume "rot"; it has none',
      );
    });

    it('of a clone whose source is not there yet are taken', async () => {
      const spec = { source: vm('later'), target: vm('copy'), patches: [patch('add', '/spec/runStrategy', 'Bogus')] };
      await client()
        .of(VirtualMachineClone)
        .create({ metadata: { generateName: 'c-', ...at }, spec });
    });
  });
});
