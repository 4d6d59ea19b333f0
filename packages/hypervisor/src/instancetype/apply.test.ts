import { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { fieldsOf } from '../testing/fieldsOf.ts';
import { applyInstancetype } from './apply.ts';

type Spec = VirtualMachineInstanceSpec;
type Domain = Partial<Spec['domain']>;
type Rest = Partial<Omit<Spec, 'domain'>>;

const config = clusterConfig(undefined);
const bare: Spec = { domain: { devices: { autoattachPodInterface: false } } };
const small: VirtualMachineInstancetypeSpec = { cpu: { guest: 1 }, memory: { guest: '512Mi' } };

const spec = (domain: Domain = {}, rest: Rest = {}): Spec => ({
  ...rest,
  domain: { ...domain, devices: { ...bare.domain.devices, ...domain.devices } },
});

/** What comes out, or the fields in conflict. */
function applied(
  given: Spec,
  instancetype: VirtualMachineInstancetypeSpec | undefined,
  preference?: VirtualMachinePreferenceSpec,
  annotations: Record<string, string> = {},
) {
  const { vmi, conflicts } = applyInstancetype({ spec: given, annotations }, { instancetype, preference }, { config });
  return conflicts.length > 0 ? conflicts.map(({ field }) => field) : vmi;
}

describe('an instance type', () => {
  const more = (spec: Partial<VirtualMachineInstancetypeSpec>): VirtualMachineInstancetypeSpec => ({
    ...small,
    ...spec,
  });
  const gpu = { name: 'gpu', deviceName: 'example.com/gpu' };

  it('gives a VMI that says nothing its size', () => {
    expect(applied(bare, small)).toEqual({
      annotations: {},
      spec: spec({ cpu: { sockets: 1, cores: 1, threads: 1 }, memory: { guest: '512Mi' } }),
    });
  });

  it.each<[string, VirtualMachineInstancetypeSpec, object]>([
    ['a model', more({ cpu: { guest: 1, model: 'host-passthrough' } }), { cpu: { model: 'host-passthrough' } }],
    [
      'processors of its own',
      more({ cpu: { guest: 1, dedicatedCPUPlacement: true, isolateEmulatorThread: true } }),
      { cpu: { dedicatedCpuPlacement: true, isolateEmulatorThread: true } },
    ],
    [
      'a NUMA layout',
      more({ cpu: { guest: 1, numa: { guestMappingPassthrough: {} } } }),
      { cpu: { numa: { guestMappingPassthrough: {} } } },
    ],
    ['low latency', more({ cpu: { guest: 1, realtime: { mask: '0' } } }), { cpu: { realtime: { mask: '0' } } }],
    ['room for processors', more({ cpu: { guest: 1, maxSockets: 8 } }), { cpu: { maxSockets: 8 } }],
    [
      'huge pages',
      more({ memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } } }),
      { memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } } },
    ],
    [
      'room for memory',
      more({ memory: { guest: '1Gi', maxGuest: '4Gi' } }),
      { memory: { guest: '1Gi', maxGuest: '4Gi' } },
    ],
    [
      'less memory on the node than in the guest',
      more({ memory: { guest: '1Gi', overcommitPercent: 50 } }),
      { memory: { guest: '1Gi' }, resources: { requests: { memory: '512Mi' } } },
    ],
    ['I/O threads', more({ ioThreadsPolicy: 'auto' }), { ioThreadsPolicy: 'auto' }],
    [
      'a pool of I/O threads',
      more({ ioThreadsPolicy: 'supplementalPool', ioThreads: { supplementalPoolThreadCount: 4 } }),
      { ioThreadsPolicy: 'supplementalPool', ioThreads: { supplementalPoolThreadCount: 4 } },
    ],
    ['protection', more({ launchSecurity: { sev: {} } }), { launchSecurity: { sev: {} } }],
    ['graphics cards', more({ gpus: [gpu] }), { devices: { gpus: [gpu] } }],
    ['devices', more({ hostDevices: [gpu] }), { devices: { hostDevices: [gpu] } }],
  ])('gives %s', (_, type, domain) => {
    expect(applied(bare, type)).toMatchObject({ spec: { domain } });
  });

  it('gives a place: node selector, scheduler, annotations', () => {
    const type = more({ nodeSelector: { disk: 'fast' }, schedulerName: 'ours', annotations: { a: '1' } });
    expect(applied(bare, type, undefined, { a: '1', b: '2' })).toMatchObject({
      annotations: { a: '1', b: '2' },
      spec: { nodeSelector: { disk: 'fast' }, schedulerName: 'ours' },
    });
  });

  it('has no other fields than those tried here', () => {
    const tried = [
      ...['annotations', 'gpus', 'hostDevices', 'ioThreads', 'ioThreadsPolicy', 'launchSecurity'],
      ...['nodeSelector', 'schedulerName'],
      ...['guest', 'dedicatedCPUPlacement', 'isolateEmulatorThread', 'maxSockets', 'model', 'numa', 'realtime'].map(
        (name) => `cpu.${name}`,
      ),
      ...['guest', 'hugepages', 'maxGuest', 'overcommitPercent'].map((name) => `memory.${name}`),
    ];
    expect(fieldsOf(VirtualMachineInstancetypeSpec, 'io.kubevirt.instancetype.').sort()).toEqual(tried.sort());
  });

  it('leaves what else the VMI says', () => {
    const vmiSpec = spec({ cpu: { features: [{ name: 'vmx' }] }, resources: { overcommitGuestOverhead: true } });
    expect(applied(vmiSpec, small)).toMatchObject({
      spec: {
        domain: { cpu: { features: [{ name: 'vmx' }], sockets: 1 }, resources: { overcommitGuestOverhead: true } },
      },
    });
  });

  it.each<[string, Spec, VirtualMachineInstancetypeSpec?]>([
    ['nodeSelector', spec({}, { nodeSelector: { a: 'b' } }), more({ nodeSelector: { a: 'c' } })],
    ['schedulerName', spec({}, { schedulerName: 'mine' }), more({ schedulerName: 'ours' })],
    ['domain.resources.requests.cpu', spec({ resources: { requests: { cpu: '1' } } })],
    ['domain.resources.limits.cpu', spec({ resources: { limits: { cpu: 1 } } })],
    ['domain.cpu.sockets', spec({ cpu: { sockets: 1 } })],
    ['domain.cpu.cores', spec({ cpu: { cores: 1 } })],
    ['domain.cpu.threads', spec({ cpu: { threads: 1 } })],
    ['domain.cpu.model', spec({ cpu: { model: 'Haswell' } }), more({ cpu: { guest: 1, model: 'host-model' } })],
    [
      'domain.cpu.dedicatedCPUPlacement',
      spec({ cpu: { dedicatedCpuPlacement: true } }),
      more({ cpu: { guest: 1, dedicatedCPUPlacement: false } }),
    ],
    [
      'domain.cpu.isolateEmulatorThread',
      spec({ cpu: { isolateEmulatorThread: true } }),
      more({ cpu: { guest: 1, isolateEmulatorThread: true } }),
    ],
    ['domain.cpu.numa', spec({ cpu: { numa: {} } }), more({ cpu: { guest: 1, numa: {} } })],
    ['domain.cpu.realtime', spec({ cpu: { realtime: {} } }), more({ cpu: { guest: 1, realtime: {} } })],
    ['domain.memory.guest', spec({ memory: { guest: '1Gi' } })],
    [
      'domain.memory.hugepages',
      spec({ memory: { hugepages: { pageSize: '1Gi' } } }),
      more({ memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } } }),
    ],
    [
      'domain.memory.maxGuest',
      spec({ memory: { maxGuest: '2Gi' } }),
      more({ memory: { guest: '1Gi', maxGuest: '2Gi' } }),
    ],
    ['domain.resources.requests.memory', spec({ resources: { requests: { memory: '1Gi' } } })],
    ['domain.resources.limits.memory', spec({ resources: { limits: { memory: '1Gi' } } })],
    ['domain.ioThreadsPolicy', spec({ ioThreadsPolicy: 'shared' }), more({ ioThreadsPolicy: 'auto' })],
    [
      'domain.ioThreads.supplementalPoolThreadCount',
      spec({ ioThreads: { supplementalPoolThreadCount: 1 } }),
      more({ ioThreads: { supplementalPoolThreadCount: 2 } }),
    ],
    ['domain.launchSecurity', spec({ launchSecurity: { sev: {} } }), more({ launchSecurity: { sev: {} } })],
    ['domain.devices.gpus', spec({ devices: { gpus: [gpu] } }), more({ gpus: [gpu] })],
    ['domain.devices.hostDevices', spec({ devices: { hostDevices: [gpu] } }), more({ hostDevices: [gpu] })],
  ])('does not share %s with the VMI', (path, vmiSpec, type = small) => {
    const field = `spec.template.spec.${path}`;
    const { conflicts } = applyInstancetype({ spec: vmiSpec, annotations: {} }, { instancetype: type }, { config });
    expect(conflicts).toEqual([
      { type: 'FieldValueInvalid', field, text: `VM field(s) ${field} conflicts with selected instance type` },
    ]);
  });

  it('names all conflicts at once', () => {
    const vmiSpec = spec({ cpu: { cores: 2 }, memory: { guest: '1Gi' } });
    expect(applied(vmiSpec, more({ annotations: { a: '1' } }), undefined, { a: '2' })).toEqual([
      'spec.template.spec.domain.cpu.cores',
      'spec.template.spec.domain.memory.guest',
      'annotations.a',
    ]);
  });

  it('does not object to a field that it leaves alone', () => {
    const vmiSpec = spec({ cpu: { model: 'Haswell' }, ioThreadsPolicy: 'shared' }, { nodeSelector: { a: 'b' } });
    expect(applied(vmiSpec, small)).toMatchObject({
      spec: { nodeSelector: { a: 'b' }, domain: { ioThreadsPolicy: 'shared', cpu: { model: 'Haswell' } } },
    });
  });
});

describe('the topology of processors', () => {
  const topology = (guest: number, cpu: VirtualMachinePreferenceSpec['cpu'], ratio?: number) => {
    const preference = { cpu, ...(ratio && { preferSpreadSocketToCoreRatio: ratio }) };
    const { vmi, conflicts } = applyInstancetype(
      { spec: bare, annotations: {} },
      { instancetype: { ...small, cpu: { guest } }, preference },
      { config },
    );
    const { sockets, cores, threads } = vmi.spec.domain.cpu ?? {};
    return conflicts[0]?.text ?? `${sockets}·${cores}·${threads}`;
  };

  it.each<[string, number, VirtualMachinePreferenceSpec['cpu'], number?]>([
    ['4·1·1', 4, undefined],
    ['4·1·1', 4, { preferredCPUTopology: 'sockets' }],
    ['4·1·1', 4, { preferredCPUTopology: 'any' }],
    ['1·4·1', 4, { preferredCPUTopology: 'cores' }],
    ['1·4·1', 4, { preferredCPUTopology: 'preferCores' }],
    ['1·1·4', 4, { preferredCPUTopology: 'threads' }],
    ['1·1·1', 1, { preferredCPUTopology: 'cores' }],
    ['2·2·1', 4, { preferredCPUTopology: 'spread' }],
    ['1·4·1', 4, { preferredCPUTopology: 'preferSpread' }, 4],
    ['2·3·1', 6, { preferredCPUTopology: 'spread', spreadOptions: { ratio: 3 } }, 2],
    ['1·2·2', 4, { preferredCPUTopology: 'spread', spreadOptions: { across: 'CoresThreads' } }],
    ['2·2·2', 8, { preferredCPUTopology: 'spread', spreadOptions: { across: 'SocketsCoresThreads' } }],
    ['1·4·2', 8, { preferredCPUTopology: 'spread', spreadOptions: { across: 'SocketsCoresThreads', ratio: 4 } }],
  ])('is %s for %i with %j', (expected, guest, cpu, ratio) => {
    expect(topology(guest, cpu, ratio)).toBe(expected);
  });

  it.each<[string, number, VirtualMachinePreferenceSpec['cpu']]>([
    [
      'Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio of 2 provided by the preference',
      3,
      { preferredCPUTopology: 'spread' },
    ],
    ['number of threads per core 2', 3, { preferredCPUTopology: 'spread', spreadOptions: { across: 'CoresThreads' } }],
    [
      'number of threads per core 2 and Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio of 2',
      6,
      { preferredCPUTopology: 'spread', spreadOptions: { across: 'SocketsCoresThreads' } },
    ],
  ])('cannot be made by the %s', (whole, guest, cpu) => {
    expect(topology(guest, cpu)).toBe(`${guest} vCPUs provided by the instance type are not divisible by the ${whole}`);
  });
});
