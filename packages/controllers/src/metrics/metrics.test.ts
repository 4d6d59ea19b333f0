import { Node, PersistentVolumeClaim, Pod, type UnknownObject } from '@vireo/api';
import { VirtualMachineClusterInstancetype } from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { Client, exposition, Informers, Metrics, type ResourceRef } from '@vireo/kube';
import { FakeKubernetes } from '@vireo/kube/testing/fakeKubernetes.ts';
import { fakeTransport } from '@vireo/kube/testing/fakeTransport.ts';
import { type ParsedMetric, parseExposition } from '@vireo/kube/testing/parseExposition.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observeVms } from './index.ts';
import { phaseChange } from './phases.ts';

let client: Client;
let stop: AbortController;
beforeEach(() => {
  client = new Client(fakeTransport(new FakeKubernetes()));
  stop = new AbortController();
});
afterEach(() => stop.abort());

const create = (kind: ResourceRef, object: object) => client.of(kind).create(object as UnknownObject);
const at = (name: string, more: object = {}) => ({ name, namespace: 'shop', ...more });

const vmOf = (name: string, more: { spec?: object; domain?: object; volumes?: object[]; status?: object }) => ({
  metadata: at(name),
  spec: {
    runStrategy: 'Always',
    template: {
      metadata: { annotations: { 'vm.kubevirt.io/os': 'fedora' } },
      spec: { domain: { devices: {}, ...more.domain }, volumes: more.volumes ?? [] },
    },
    ...more.spec,
  },
  status: more.status ?? {},
});

/** Starts what is observed, and returns what reads it. */
async function observed(): Promise<() => Promise<Map<string, ParsedMetric>>> {
  const metrics = new Metrics();
  const informers = new Informers(client);
  observeVms(metrics, informers);
  informers.start(stop.signal);
  await informers.whenSynced();
  return async () => parseExposition(await exposition(new Map([['virt-controller', metrics]])));
}

/** The series of a metric: their labels, name and namespace aside, and values. */
const seriesOf = (found: Map<string, ParsedMetric>, name: string): [object, number][] =>
  (found.get(name)?.samples ?? []).map(({ labels: { name: _, namespace: __, ...labels }, value }) => [labels, value]);

describe('a VM', () => {
  it('has metrics of what it is, and in which state', async () => {
    await create(VirtualMachineClusterInstancetype, {
      metadata: { name: 'u1.small', labels: { 'instancetype.kubevirt.io/vendor': 'kubevirt.io' } },
      spec: { cpu: { guest: 2 }, memory: { guest: '2Gi' } },
    });
    const status = {
      printableStatus: 'ErrorUnschedulable',
      conditions: [
        { type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:10Z' },
        { type: 'Failure', status: 'True', lastTransitionTime: '2026-01-01T00:00:20Z' },
        { type: 'LiveMigratable', status: 'True', lastTransitionTime: '2026-01-01T00:00:30Z' },
      ],
    };
    const spec = { instancetype: { name: 'u1.small' }, preference: { name: 'my-secret-project' } };
    await create(Vm, vmOf('web', { spec, status }));
    const found = await (await observed())();
    const labels = { os: 'fedora', instance_type: 'u1.small', preference: '<other>' };
    expect(seriesOf(found, 'kubevirt_vm_info')).toEqual([
      [{ ...labels, status: 'errorunschedulable', status_group: 'error' }, 1],
    ]);
    const last = Date.parse('2026-01-01T00:00:20Z') / 1000;
    for (const group of ['starting', 'running', 'migrating', 'non_running', 'error'])
      expect(seriesOf(found, `kubevirt_vm_${group}_status_last_transition_timestamp_seconds`)).toEqual([
        [{}, group === 'error' ? last : 0],
      ]);
    expect(seriesOf(found, 'kubevirt_vm_resource_requests')).toEqual([
      [{ resource: 'memory', unit: 'bytes', source: 'guest' }, 2 * 1024 ** 3],
      [{ resource: 'cpu', unit: 'cores', source: 'domain' }, 1],
      [{ resource: 'cpu', unit: 'threads', source: 'domain' }, 1],
      [{ resource: 'cpu', unit: 'sockets', source: 'domain' }, 2],
    ]);
    expect(seriesOf(found, 'kubevirt_vm_create_date_timestamp_seconds')[0]?.[1]).toBeGreaterThan(last);
    expect(found.get('namespace:kubevirt_vm:sum')?.samples).toMatchObject([
      { labels: { namespace: 'shop' }, value: 1 },
    ]);
  });

  it('has what it asks for, its limits and its disks', async () => {
    const requests = { memory: '1Gi', cpu: '1500m' };
    const domain = { resources: { requests, limits: { memory: '2Gi', cpu: 2 } } };
    const volumes = [
      { name: 'root', persistentVolumeClaim: { claimName: 'disk' } },
      { name: 'data', dataVolume: { name: 'missing' } },
    ];
    await create(PersistentVolumeClaim, {
      metadata: at('disk'),
      spec: { volumeMode: 'Block', resources: { requests: { storage: '10Gi' } } },
    });
    await create(Vm, vmOf('web', { domain, volumes }));
    const found = await (await observed())();
    expect(seriesOf(found, 'kubevirt_vm_resource_requests')).toEqual([
      [{ resource: 'memory', unit: 'bytes', source: 'domain' }, 1024 ** 3],
      [{ resource: 'cpu', unit: 'cores', source: 'requests' }, 1.5],
    ]);
    expect(seriesOf(found, 'kubevirt_vm_resource_limits')).toEqual([
      [{ resource: 'memory', unit: 'bytes' }, 2 * 1024 ** 3],
      [{ resource: 'cpu', unit: 'cores' }, 2],
    ]);
    expect(seriesOf(found, 'kubevirt_vm_disk_allocated_size_bytes')).toEqual([
      [{ persistentvolumeclaim: 'disk', volume_mode: 'Block', device: 'root' }, 10 * 1024 ** 3],
    ]);
  });

  it('is counted when it is made, and not when it was there before', async () => {
    await create(Vm, vmOf('old', {}));
    const read = await observed();
    await create(Vm, vmOf('new', {}));
    await vi.waitFor(async () =>
      expect((await read()).get('kubevirt_vm_created_total')?.samples).toMatchObject([
        { labels: { namespace: 'shop' }, value: 1 },
      ]),
    );
    expect((await read()).get('kubevirt_vm_created_by_pod_total')?.samples).toMatchObject([{ value: 1 }]);
    expect((await read()).get('kubevirt_number_of_vms')?.samples).toMatchObject([{ value: 2 }]);
  });
});

describe('a VMI', () => {
  const launcher = (uid: string, ...words: string[]) => ({
    metadata: at(`launcher-${uid}`, { labels: { 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': uid } }),
    spec: { nodeName: 'n1', containers: [{ name: 'compute', command: ['launcher', '--hypervisor', ...words] }] },
    status: { phase: 'Running' },
  });
  const vmiOf = (name: string, more: { spec?: object; status?: object; labels?: object } = {}) => ({
    metadata: at(name, { annotations: { 'kubevirt.io/cluster-instancetype-name': 'mine' }, labels: more.labels }),
    spec: { domain: { devices: {} }, ...more.spec },
    status: { phase: 'Running', nodeName: 'n1', ...more.status },
  });

  it('has metrics of its guest, its launcher and what can be done with it', async () => {
    const status = {
      guestOSInfo: { kernelRelease: '6.1', machine: 'x86_64', name: 'Fedora', versionId: '40' },
      machine: { type: 'pc-q35-9' },
      memory: { memoryOverhead: '281018368' },
    };
    const labels = { 'kubevirt.io/outdatedLauncherImage': '' };
    const vmi = await create(Vmi, vmiOf('web', { status, labels, spec: { evictionStrategy: 'LiveMigrate' } }));
    await create(Pod, launcher(vmi.metadata.uid, 'kvm'));
    const found = await (await observed())();
    const kind = {
      phase: 'running',
      instance_type: '<other>',
      guest_os_kernel_release: '6.1',
      guest_os_machine: 'pc-q35-9',
      guest_os_arch: 'x86_64',
      guest_os_name: 'Fedora',
      guest_os_version_id: '40',
    };
    const pod = `launcher-${vmi.metadata.uid}`;
    expect(seriesOf(found, 'kubevirt_vmi_info')).toEqual([
      [{ node: 'n1', ...kind, evictable: 'false', outdated: 'true', vmi_pod: pod }, 1],
    ]);
    expect(seriesOf(found, 'kubevirt_vmi_non_evictable')).toEqual([[{ node: 'n1' }, 1]]);
    expect(seriesOf(found, 'kubevirt_vmi_number_of_outdated')).toEqual([[{}, 1]]);
    expect(seriesOf(found, 'kubevirt_vmi_launcher_memory_overhead_bytes')).toEqual([[{}, 281_018_368]]);
    for (const name of ['node:kubevirt_vmi_phase:sum', 'kubevirt_vmi_phase_count'])
      expect(seriesOf(found, name)).toEqual([[{ node: 'n1', ...kind, hypervisor: 'kvm' }, 1]]);
  });

  it('is counted with those that are like it, by what really runs them', async () => {
    for (const [name, ...words] of [
      ['a', 'kvm'],
      ['b', 'kvm'],
      ['c', 'kvm', '--allow-emulation'],
    ] as const) {
      const vmi = await create(Vmi, vmiOf(name));
      await create(Pod, launcher(vmi.metadata.uid, ...words));
    }
    const series = seriesOf(await (await observed())(), 'node:kubevirt_vmi_phase:sum');
    expect(series.map(([labels, value]) => [(labels as { hypervisor?: string }).hypervisor, value])).toEqual([
      ['kvm', 2],
      ['qemu', 1],
    ]);
  });

  const times = (...phases: [phase: string, second: number][]) => ({
    phase: phases.at(-1)?.[0] ?? '',
    phaseTransitionTimestamps: phases.map(([phase, second]) => ({ phase, phaseTransitionTimestamp: time(second) })),
  });
  const time = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;
  const vmi = (status: object, deleted?: number): Vmi =>
    ({
      metadata: { creationTimestamp: time(0), ...(deleted !== undefined && { deletionTimestamp: time(deleted) }) },
      status,
    }) as Vmi;

  it.each<[string, Vmi, Vmi, object | undefined]>([
    ['nothing while its phase is the same', vmi(times(['Pending', 1])), vmi(times(['Pending', 1])), undefined],
    [
      'the time since it was made, in its first phase',
      vmi({}),
      vmi(times(['Pending', 1])),
      { phase: 'Pending', lastPhase: '', sinceLastSeconds: 1, sinceCreationSeconds: 1 },
    ],
    [
      'the time since the phase before',
      vmi(times(['Pending', 1])),
      vmi(times(['Pending', 1], ['Scheduling', 4])),
      { phase: 'Scheduling', lastPhase: 'Pending', sinceLastSeconds: 3, sinceCreationSeconds: 4 },
    ],
    [
      'the time since it was to go',
      vmi(times(['Running', 5]), 20),
      vmi(times(['Running', 5], ['Succeeded', 22]), 20),
      { phase: 'Succeeded', sinceLastSeconds: 17, sinceDeletionSeconds: 2 },
    ],
    [
      'never less than nothing',
      vmi(times(['Pending', 9])),
      vmi(times(['Pending', 9], ['Scheduling', 8])),
      { sinceLastSeconds: 0 },
    ],
    [
      'only what is known',
      vmi({ phase: 'Pending' }),
      vmi({ phase: 'Scheduling' }),
      { phase: 'Scheduling', sinceLastSeconds: undefined, sinceCreationSeconds: undefined },
    ],
  ])('has a phase change measured: %s', (_, old, now, expected) => {
    const change = phaseChange(old, now);
    if (expected === undefined) expect(change).toBeUndefined();
    else expect(change).toMatchObject(expected);
  });

  it('has its phases timed as they come', async () => {
    const read = await observed();
    await create(Vmi, { metadata: at('web'), spec: { domain: { devices: {} } } });
    const phaseTransitionTimestamp = new Date(Date.now() + 3_000).toISOString();
    const status = { phase: 'Running', phaseTransitionTimestamps: [{ phase: 'Running', phaseTransitionTimestamp }] };
    await client.of(Vmi).patch('web', { status }, { namespace: 'shop', type: 'merge' });
    await vi.waitFor(async () => {
      const samples = (await read()).get('kubevirt_vmi_phase_transition_time_from_creation_seconds')?.samples;
      const count = samples?.find(({ name }) => name.endsWith('_count'));
      expect(count).toMatchObject({ labels: { phase: 'Running' }, value: 1 });
    });
  });
});

it('migrations are counted by how far they are', async () => {
  const phases = ['Pending', 'Running', 'TargetReady', 'Succeeded', 'Failed'];
  for (const phase of phases)
    await create(VirtualMachineInstanceMigration, {
      metadata: at(phase.toLowerCase()),
      spec: { vmiName: 'web' },
      status: { phase },
    });
  const found = await (await observed())();
  for (const [word, count] of Object.entries({ unset: 0, pending: 1, scheduling: 0, running: 2 }))
    expect(seriesOf(found, `kubevirt_vmi_migrations_in_${word}_phase`)).toEqual([[{}, count]]);
  for (const word of ['succeeded', 'failed'])
    expect(seriesOf(found, `kubevirt_vmi_migration_${word}`)).toEqual([[{ vmi: 'web', vmim: word }, 1]]);
});

it('what nodes can give away has the names of kube-state-metrics', async () => {
  const allocatable = { cpu: '1500m', memory: '1Ki', 'devices.kubevirt.io/kvm': '1k' };
  await create(Node, { metadata: { name: 'a' }, status: { allocatable } });
  expect(seriesOf(await (await observed())(), 'kube_node_status_allocatable')).toEqual([
    [{ node: 'a', resource: 'cpu', unit: 'core' }, 1.5],
    [{ node: 'a', resource: 'memory', unit: 'byte' }, 1024],
    [{ node: 'a', resource: 'devices_kubevirt_io_kvm', unit: 'integer' }, 1000],
  ]);
});
