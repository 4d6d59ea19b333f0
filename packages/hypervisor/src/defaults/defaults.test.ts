import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { clusterConfig } from '../clusterConfig.ts';
import { registerHypervisor, registries } from '../registries.ts';
import { vmiWith } from '../testing/fixtures.ts';
import { kubevirtWith } from '../testing/kubevirt.ts';
import { applyVmDefaults, applyVmiDefaults, pullPolicy } from './index.ts';

const plain = clusterConfig(undefined);
const sources = { randomUuid: () => 'random-uuid', now: '2026-01-02T03:04:05Z' };
const defaulted = (...of: Parameters<typeof vmiWith>) => applyVmiDefaults(vmiWith(...of), plain, sources);

describe('defaults of a VMI', () => {
  it('complete the smallest VMI', () => {
    expect(defaulted()).toEqual({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: {
        namespace: 'default',
        name: 'testvmi',
        uid: vmiWith().metadata.uid,
        annotations: { 'kubevirt.io/pci-topology-version': 'v3' },
        finalizers: ['kubevirt.io/foregroundDeleteVirtualMachine'],
      },
      spec: {
        architecture: 'amd64',
        evictionStrategy: 'None',
        networks: [{ name: 'default', pod: {} }],
        domain: {
          machine: { type: 'q35' },
          cpu: { sockets: 1, cores: 1, threads: 1, maxSockets: 4, model: 'host-model' },
          memory: { guest: '128Mi' },
          features: { acpi: { enabled: true } },
          firmware: { uuid: 'random-uuid' },
          devices: { interfaces: [{ name: 'default', bridge: {} }] },
        },
      },
      status: {
        phase: 'Pending',
        phaseTransitionTimestamps: [{ phase: 'Pending', phaseTransitionTimestamp: '2026-01-02T03:04:05Z' }],
        memory: { guestAtBoot: '128Mi', guestCurrent: '128Mi', guestRequested: '128Mi' },
        currentCPUTopology: { sockets: 1, cores: 1, threads: 1 },
        runtimeUser: 107,
      },
    });
  });

  type Spec = Partial<VirtualMachineInstanceSpec['domain']>;
  it.each<[string, Spec, object]>([
    [
      'memory of the request',
      { memory: {}, resources: { requests: { memory: '64Mi' } } },
      { memory: { guest: '64Mi' } },
    ],
    ['memory of the limit', { memory: {}, resources: { limits: { memory: '64Mi' } } }, { memory: { guest: '64Mi' } }],
    ['one huge page', { memory: { hugepages: { pageSize: '1Gi' } } }, { memory: { guest: '1Gi' } }],
    [
      'a processor limit is a request and gives the sockets',
      { resources: { limits: { cpu: '3' } } },
      { cpu: { sockets: 3, cores: 1 }, resources: { requests: { cpu: '3' } } },
    ],
    ['cores alone', { cpu: { cores: 2 } }, { cpu: { sockets: 1, cores: 2, threads: 1, maxSockets: 4 } }],
    ['no more than 512 processors', { cpu: { sockets: 2, cores: 100 } }, { cpu: { maxSockets: 5 } }],
    ['memory can grow from a gibibyte on', { memory: { guest: '1Gi' } }, { memory: { guest: '1Gi', maxGuest: '4Gi' } }],
    ['an empty model is none', { cpu: { model: '' } }, { cpu: { model: 'host-model' } }],
    [
      'disks by kind',
      {
        devices: {
          disks: [
            { name: 'a' },
            { name: 'b', cdrom: {} },
            { name: 'c', lun: {} },
            { name: 'd', disk: { bus: 'virtio' } },
          ],
        },
      },
      {
        devices: {
          disks: [
            { name: 'a', disk: { bus: 'sata' } },
            { name: 'b', cdrom: { bus: 'sata', readonly: true, tray: 'closed' } },
            { name: 'c', lun: { bus: 'sata' } },
            { name: 'd', disk: { bus: 'virtio' } },
          ],
        },
      },
    ],
    [
      'a watchdog',
      { devices: { watchdog: { name: 'w' } } },
      { devices: { watchdog: { i6300esb: { action: 'reset' } } } },
    ],
    [
      'a tablet where one is wanted',
      { devices: { autoattachInputDevice: true } },
      { devices: { inputs: [{ name: 'default-0', type: 'tablet', bus: 'usb' }] } },
    ],
    [
      'a bus for tablets',
      { devices: { inputs: [{ name: 't', type: 'tablet' }] } },
      { devices: { inputs: [{ bus: 'usb' }] } },
    ],
    [
      'features that are named are on, with what they need',
      { features: { smm: {}, hyperv: { synictimer: {}, spinlocks: {} } } },
      {
        features: {
          smm: { enabled: true },
          hyperv: {
            synictimer: { enabled: true },
            synic: { enabled: true },
            vpindex: { enabled: true },
            spinlocks: { enabled: true, spinlocks: 4096 },
          },
        },
      },
    ],
    [
      'evmcs needs vapic and the feature vmx',
      { features: { hyperv: { evmcs: {} } } },
      { cpu: { features: [{ name: 'vmx', policy: 'require' }] }, features: { hyperv: { vapic: { enabled: true } } } },
    ],
    [
      'timers that are named are there',
      { clock: { timer: { hpet: {} } } },
      { clock: { timer: { hpet: { present: true } } } },
    ],
  ])('%s', (_title, domain, expected) => {
    expect(defaulted(domain).spec.domain).toMatchObject(expected);
  });

  it('give every volume a disk, but not those with a filesystem or of memory dumps', () => {
    const { disks } = defaulted(
      { devices: { filesystems: [{ name: 'fs', virtiofs: {} }] } },
      {
        volumes: [
          { name: 'root', containerDisk: { image: 'x' } },
          { name: 'fs', configMap: { name: 'c' } },
          { name: 'dump', memoryDump: { claimName: 'd' } },
        ],
      },
    ).spec.domain.devices;
    expect(disks).toEqual([{ name: 'root', disk: { bus: 'sata' } }]);
  });

  it('leave a VMI without networks alone if the configuration says so', () => {
    const { spec } = defaulted({ devices: { autoattachPodInterface: false } });
    expect([spec.networks, spec.domain.devices.interfaces]).toEqual([undefined, undefined]);
  });

  it('follow the settings of the cluster', () => {
    const config = clusterConfig(
      kubevirtWith({
        cpuModel: 'Haswell',
        cpuRequest: '200m',
        evictionStrategy: 'LiveMigrate',
        architectureConfiguration: { amd64: { machineType: 'pc-q35-7.2' } },
        network: { defaultNetworkInterface: 'masquerade' },
        liveUpdateConfiguration: { maxCpuSockets: 2, maxGuest: '2Gi' },
      }),
    );
    const { spec } = applyVmiDefaults(vmiWith({ memory: { guest: '1Gi' } }), config, sources);
    expect(spec).toMatchObject({
      evictionStrategy: 'LiveMigrate',
      domain: {
        cpu: { model: 'Haswell', maxSockets: 2 },
        memory: { maxGuest: '2Gi' },
        machine: { type: 'pc-q35-7.2' },
        resources: { requests: { cpu: '200m' } },
        devices: { interfaces: [{ name: 'default', masquerade: {} }] },
      },
    });
  });

  it('leave no room to grow where changes are staged, and none on arm64', () => {
    const staged = clusterConfig(kubevirtWith({ vmRolloutStrategy: 'Stage' }));
    expect(applyVmiDefaults(vmiWith(), staged, sources).spec.domain.cpu?.maxSockets).toBeUndefined();
    expect(defaulted({}, { architecture: 'arm64' }).spec.domain.cpu?.maxSockets).toBeUndefined();
  });

  it('know what arm64 is like', () => {
    const disks = [{ name: 'a' }, { name: 'b', cdrom: {} }];
    expect(defaulted({ devices: { disks } }, { architecture: 'arm64' }).spec.domain).toMatchObject({
      machine: { type: 'virt' },
      cpu: { model: 'host-passthrough' },
      firmware: { bootloader: { efi: { secureBoot: false } } },
      devices: { disks: [{ disk: { bus: 'virtio' } }, { cdrom: { bus: 'scsi' } }] },
    });
  });

  it('know what s390x is like', () => {
    const { domain } = defaulted({ devices: { watchdog: { name: 'w' } } }, { architecture: 's390x' }).spec;
    expect(domain).toMatchObject({
      machine: { type: 's390-ccw-virtio' },
      features: { acpi: { enabled: false } },
      devices: { watchdog: { diag288: { action: 'reset' } } },
    });
  });

  it.each([
    ['cirros', 'Always'],
    ['cirros:latest', 'Always'],
    ['registry:5000/cirros', 'Always'],
    ['registry:5000/cirros:v1', 'IfNotPresent'],
    ['cirros@sha256:abc', 'IfNotPresent'],
  ])('pull %s %s', (image, policy) => {
    expect(pullPolicy(image)).toBe(policy);
  });
});

describe('layers of defaults', () => {
  const undo: (() => void)[] = [];
  afterEach(() => {
    for (const step of undo.splice(0)) step();
  });

  it('propose, the most specific wins, and the user before all of them', () => {
    const named = (serial: string) => ({ applyVmiSpecDefaults: () => ({ domain: { firmware: { serial } } }) });
    undo.push(registerHypervisor({ name: 'sample', defaults: { '*': named('hypervisor'), arm64: named('both') } }));
    const config = { ...plain, hypervisor: 'sample' };
    const serialOf = (architecture: string, serial?: string): string | undefined =>
      applyVmiDefaults(vmiWith({ firmware: { serial } }, { architecture }), config, sources).spec.domain.firmware
        ?.serial;
    expect(serialOf('amd64')).toBe('hypervisor');
    expect(serialOf('arm64')).toBe('both');
    expect(serialOf('arm64', 'user')).toBe('user');
  });

  it('let an architecture overrule a hypervisor, and the two together both', () => {
    registries.defaults.register('riscv', { applyVmiSpecDefaults: () => ({ domain: { cpu: { model: 'arch' } } }) });
    undo.push(() => registries.defaults.unregister('riscv'));
    undo.push(
      registerHypervisor({
        name: 'sample',
        defaults: { '*': { applyVmiSpecDefaults: () => ({ domain: { cpu: { model: 'hyp' } } }) } },
      }),
    );
    const config = { ...plain, hypervisor: 'sample' };
    const modelOn = (architecture: string) =>
      applyVmiDefaults(vmiWith({}, { architecture }), config, sources).spec.domain.cpu?.model;
    expect(modelOn('riscv')).toBe('arch');
    expect(modelOn('amd64')).toBe('hyp');
  });

  it("see the VMI as the hypervisor's admission left it", () => {
    const mutateVmi = (vmi: ReturnType<typeof vmiWith>) => ({ ...vmi, spec: { ...vmi.spec, architecture: 'arm64' } });
    undo.push(registerHypervisor({ name: 'sample', admission: { mutateVmi } }));
    const vmi = applyVmiDefaults(vmiWith(), { ...plain, hypervisor: 'sample' }, sources);
    expect(vmi.spec.domain.machine?.type).toBe('virt');
  });

  it('end in what a hypervisor derives from the whole', () => {
    undo.push(
      registerHypervisor({
        name: 'sample',
        defaults: {
          '*': { finalizeVmi: (vmi) => ({ ...vmi, status: { ...vmi.status, reason: vmi.spec.domain.cpu?.model } }) },
        },
      }),
    );
    const vmi = applyVmiDefaults(vmiWith(), { ...plain, hypervisor: 'sample' }, sources);
    expect(vmi.status?.reason).toBe('host-model');
  });
});

describe('defaults of a VM', () => {
  const vm = (spec: Partial<VirtualMachineInstanceSpec['domain']> = {}): VirtualMachine => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'vm' },
    spec: { runStrategy: 'Always', template: { spec: { domain: { devices: {}, ...spec } } } },
  });

  it('are identity, architecture, machine type and PCI topology, and nothing else', () => {
    expect(applyVmDefaults(vm(), plain, sources).spec).toEqual({
      runStrategy: 'Always',
      template: {
        metadata: { annotations: { 'kubevirt.io/pci-topology-version': 'v3' } },
        spec: {
          architecture: 'amd64',
          domain: {
            devices: {},
            firmware: { uuid: 'random-uuid', serial: 'random-uuid' },
            machine: { type: 'q35' },
          },
        },
      },
    });
  });

  it('give no new identity on update', () => {
    const { domain } = applyVmDefaults(vm(), plain, sources, 'UPDATE').spec.template.spec!;
    expect(domain).toEqual({ devices: {}, machine: { type: 'q35' } });
  });

  it('keep what is there', () => {
    const firmware = { uuid: 'u', serial: 's' };
    expect(applyVmDefaults(vm({ firmware }), plain, sources).spec.template.spec?.domain.firmware).toEqual(firmware);
  });
});
