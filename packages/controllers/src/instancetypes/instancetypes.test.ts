import { ControllerRevision, Event, findCondition } from '@vireo/api';
import {
  KubeVirt,
  VirtualMachineClusterInstancetype,
  VirtualMachinePreference,
} from '@vireo/api/kinds/kubevirt/index.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { observed } from '../testing/watching.ts';

let cluster: Cluster;
const at = { namespace: NAMESPACE };
const merge = { ...at, type: 'merge' } as const;

beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startNode();
  await cluster.startControllers();
});
afterAll(async () => {
  await cluster.close();
  expect(cluster.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
});

const types = () => cluster.admin.of(VirtualMachineClusterInstancetype);
const size = (guest: number, memory: string) => ({ cpu: { guest }, memory: { guest: memory } });
const typed = (name: string, instancetype: string, more: Partial<Vm['spec']> = {}) => {
  const { metadata, spec } = vmDraft(name, more);
  const { memory: _, ...domain } = spec.template.spec?.domain ?? { devices: {} };
  return {
    metadata,
    spec: { ...spec, instancetype: { name: instancetype }, template: { ...spec.template, spec: { domain } } },
  };
};
const vmSeen = (name: string, fits: (vm: Vm) => boolean) =>
  observed<Vm>(cluster.admin, Vm, (vm) => vm.metadata.name === name && fits(vm));
const running = (name: string) => vmSeen(name, ({ status }) => status?.printableStatus === 'Running');
const getVmi = (name: string) => cluster.admin.of(Vmi).get(name, at);
const condition = ({ status }: Vm, type: string) => findCondition(status?.conditions, type);

describe('a VM with an instance type', () => {
  it('runs in that size, and keeps what it runs as', async () => {
    const type = await types().create({ metadata: { name: 'small' }, spec: size(2, '256Mi') });
    await cluster.admin.of(VirtualMachinePreference).create({
      metadata: { name: 'cores', ...at },
      spec: { cpu: { preferredCPUTopology: 'cores' }, annotations: { liked: 'yes' } },
    });
    const preference = { name: 'cores', kind: 'VirtualMachinePreference' };
    await cluster.admin.of(Vm).create(typed('web', 'small', { preference }));
    const { metadata, status, spec } = await running('web');
    const vmi = await getVmi('web');
    expect(vmi.spec.domain).toMatchObject({ cpu: { sockets: 1, cores: 2, threads: 1 }, memory: { guest: '256Mi' } });
    expect(vmi.metadata.annotations).toMatchObject({
      'kubevirt.io/cluster-instancetype-name': 'small',
      'kubevirt.io/preference-name': 'cores',
      liked: 'yes',
    });
    expect(spec.template.spec?.domain).not.toHaveProperty('memory');
    const kept = `web-small-v1beta1-${type.metadata.uid}-1`;
    expect(status?.instancetypeRef).toEqual({
      name: 'small',
      kind: 'VirtualMachineClusterInstancetype',
      controllerRevisionRef: { name: kept },
    });
    expect(status?.preferenceRef).toMatchObject({ name: 'cores', kind: 'VirtualMachinePreference' });
    const revision = await cluster.admin.of(ControllerRevision).get(kept, at);
    expect(revision.metadata.labels).toEqual({
      'instancetype.kubevirt.io/object-generation': '1',
      'instancetype.kubevirt.io/object-kind': 'VirtualMachineClusterInstancetype',
      'instancetype.kubevirt.io/object-name': 'small',
      'instancetype.kubevirt.io/object-uid': type.metadata.uid,
      'instancetype.kubevirt.io/object-version': 'v1beta1',
    });
    expect(revision.metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachine', uid: metadata.uid }]);
    expect(revision.data).toMatchObject({ kind: 'VirtualMachineClusterInstancetype', spec: size(2, '256Mi') });
    const start = await cluster.admin.of(ControllerRevision).get(vmi.status?.virtualMachineRevisionName ?? '', at);
    expect(start.data).toMatchObject({ spec: { instancetype: { name: 'small', revisionName: kept } } });
  });

  it('does not mind what becomes of the type', async () => {
    await types().create({ metadata: { name: 'changing' }, spec: size(1, '64Mi') });
    await cluster.admin.of(Vm).create(typed('steady', 'changing'));
    await running('steady');
    const before = await getVmi('steady');
    await types().patch('changing', { spec: { memory: { guest: '128Mi' } } }, { type: 'merge' });
    await types().delete('changing');
    await cluster.admin.of(Vmi).delete('steady', at);
    const again = await observed<Vmi>(
      cluster.admin,
      Vmi,
      ({ metadata, status }) =>
        metadata.name === 'steady' && metadata.uid !== before.metadata.uid && status?.phase === 'Running',
    );
    expect(again.spec.domain.memory?.guest).toBe('64Mi');
    expect(condition(await running('steady'), 'RestartRequired')).toBeUndefined();
  });

  it('that names another type has to be restarted for it', async () => {
    await types().create({ metadata: { name: 'tiny' }, spec: size(1, '64Mi') });
    await types().create({ metadata: { name: 'large' }, spec: size(1, '512Mi') });
    await cluster.admin.of(Vm).create(typed('growing', 'tiny'));
    await running('growing');
    await cluster.admin.of(Vm).patch('growing', { spec: { instancetype: { name: 'large' } } }, merge);
    const grown = await vmSeen('growing', (vm) => condition(vm, 'RestartRequired')?.status === 'True');
    expect(grown.status?.instancetypeRef).toMatchObject({ name: 'large' });
    expect((await getVmi('growing')).spec.domain.memory?.guest).toBe('64Mi');
    await cluster.admin.of(Vm).patch('growing', { spec: { instancetype: { name: 'tiny' } } }, merge);
    await vmSeen('growing', (vm) => !condition(vm, 'RestartRequired') && vm.status?.instancetypeRef?.name === 'tiny');
  });

  it('that names a larger type gets its CPUs and its memory while it runs, where there is room to grow', async () => {
    const roomy = (guest: number, memory: string) => ({
      cpu: { guest, maxSockets: 4 },
      memory: { guest: memory, maxGuest: '4Gi' },
    });
    await types().create({ metadata: { name: 'one' }, spec: roomy(1, '1Gi') });
    await types().create({ metadata: { name: 'three' }, spec: roomy(3, '1152Mi') });
    await cluster.admin.of(Vm).create(typed('live', 'one'));
    await running('live');
    await cluster.admin.of(Vm).patch('live', { spec: { instancetype: { name: 'three' } } }, merge);
    const { status } = await vmSeen('live', (vm) => condition(vm, 'HotVCPUChange')?.status === 'True');
    expect(findCondition(status?.conditions, 'RestartRequired')).toBeUndefined();
    const { cpu, memory } = (await getVmi('live')).spec.domain;
    expect([cpu?.sockets, memory?.guest]).toEqual([3, '1152Mi']);
  });

  it('that is not there says so, and starts when the type comes', async () => {
    await cluster.admin.of(Vm).create(typed('early', 'late'));
    const message = 'virtualmachineclusterinstancetypes.instancetype.kubevirt.io "late" not found';
    const waiting = await vmSeen('early', (vm) => condition(vm, 'Failure') !== undefined);
    expect(condition(waiting, 'Failure')).toMatchObject({ reason: 'FailedFindInstancetype', message });
    expect(waiting.status?.printableStatus).toBe('Stopped');
    await observed<Event>(cluster.admin, Event, (event) => event.reason === 'FailedFindInstancetype');
    await types().create({ metadata: { name: 'late' }, spec: size(1, '64Mi') });
    expect(condition(await running('early'), 'Failure')).toBeUndefined();
  });

  it('that is too small for the preference keeps the VM from starting until it is larger', async () => {
    await cluster.admin.of(VirtualMachinePreference).create({
      metadata: { name: 'demanding', ...at },
      spec: { requirements: { memory: { guest: '128Mi' } } },
    });
    const preference = { name: 'demanding', kind: 'VirtualMachinePreference' };
    await types().create({ metadata: { name: 'scanty' }, spec: size(1, '64Mi') });
    await cluster.admin.of(Vm).create(typed('demands', 'scanty', { preference }));
    const refused = await vmSeen('demands', (vm) => condition(vm, 'Failure')?.reason === 'FailedCreate');
    expect(condition(refused, 'Failure')?.message).toContain('insufficient Memory resources of 64Mi');
    await types().patch('scanty', { spec: size(1, '128Mi') }, { type: 'merge' });
    expect(condition(await running('demands'), 'Failure')).toBeUndefined();
  });

  it('that is at odds with the VM keeps it from starting', async () => {
    await types().create({ metadata: { name: 'strict' }, spec: size(1, '64Mi') });
    const vm = vmDraft('odd', { instancetype: { name: 'strict' } });
    await cluster.admin.of(Vm).create(vm);
    const refused = await vmSeen('odd', (each) => condition(each, 'Failure') !== undefined);
    expect(condition(refused, 'Failure')).toMatchObject({
      reason: 'FailedCreate',
      message: 'VM field(s) spec.template.spec.domain.memory.guest conflicts with selected instance type',
    });
  });

  it('no longer named is no longer in the status', async () => {
    await types().create({ metadata: { name: 'passing' }, spec: size(1, '64Mi') });
    await cluster.admin.of(Vm).create(typed('free', 'passing', { runStrategy: 'Halted' }));
    await vmSeen('free', ({ status }) => status?.instancetypeRef !== undefined);
    await cluster.admin.of(Vm).patch('free', { spec: { instancetype: null } }, merge);
    await vmSeen(
      'free',
      ({ status }) => status?.instancetypeRef === undefined && status?.printableStatus === 'Stopped',
    );
  });
});

describe('a cluster that wants types written out', () => {
  const policy = (referencePolicy: string | null) =>
    cluster.admin
      .of(KubeVirt)
      .patch(
        'kubevirt',
        { spec: { configuration: { instancetype: { referencePolicy } } } },
        { namespace: 'kubevirt', type: 'merge' },
      );

  it('gets VMs that need none, even where one was kept', async () => {
    await types().create({ metadata: { name: 'written' }, spec: size(2, '64Mi') });
    await cluster.admin.of(Vm).create(typed('kept', 'written', { runStrategy: 'Halted' }));
    const { status } = await vmSeen('kept', (vm) => vm.status?.instancetypeRef !== undefined);
    await policy('expand');
    await cluster.admin.of(Vm).create(typed('out', 'written'));
    const out = await running('out');
    expect(out.spec).not.toHaveProperty('instancetype');
    expect(out.spec.template.spec?.domain).toMatchObject({ cpu: { sockets: 2 }, memory: { guest: '64Mi' } });
    expect(out.status).not.toHaveProperty('instancetypeRef');
    expect((await cluster.admin.of(Vm).get('kept', at)).spec.instancetype).toEqual({ name: 'written' });

    await policy('expandAll');
    await cluster.admin.of(Vm).patch('kept', { metadata: { labels: { look: 'again' } } }, merge);
    await vmSeen('kept', (vm) => !vm.spec.instancetype && !vm.status?.instancetypeRef);
    const name = status?.instancetypeRef?.controllerRevisionRef?.name ?? '';
    await expect(cluster.admin.of(ControllerRevision).get(name, at)).rejects.toMatchObject({ code: 404 });
    await policy(null);
  });
});
