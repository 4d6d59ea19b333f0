import type { Node } from '@vireo/api';
import { registerHypervisor } from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import type { DeviceState } from '../devices/deviceHealth.ts';
import { parseCapabilities } from '../host/capabilities.ts';
import type { Host } from '../host/host.ts';
import { labelsOf, labelsPatch, metadataPatch, type NodeFacts, statusOf, supportPatch } from './nodeObject.ts';
import { withHypervisorLabels } from './syncNode.ts';

const now = new Date('2026-01-01T12:00:00Z');
const host: Host = {
  name: 'node-1',
  architecture: 'amd64',
  cpus: 8,
  memoryBytes: 16 * 2 ** 30,
  diskBytes: 100 * 2 ** 30,
  address: '192.0.2.1',
  kernel: '6.1',
  osImage: 'Debian',
  machineId: 'm',
  bootId: 'b',
};

const MACHINES = `Supported machines are:
q35                  Standard PC (Q35 + ICH9, 2009) (alias of pc-q35-7.2)
pc-q35-7.2           Standard PC (Q35 + ICH9, 2009)
none                 empty machine
`;
const GUESTS_XML = `<domainCapabilities><cpu>
<mode name='host-model' supported='yes'><model fallback='forbid'>EPYC</model><vendor>AMD</vendor>
<feature policy='require' name='x2apic'/><feature policy='disable' name='svm'/></mode>
<mode name='custom' supported='yes'><model usable='yes' vendor='unknown'>EPYC-IBPB</model>
<model usable='yes' vendor='unknown'>qemu64</model>
<model usable='no' vendor='Intel'>Skylake-Client</model></mode></cpu>
<features><hyperv supported='yes'><enum name='features'><value>vpindex</value><value>stimer</value></enum></hyperv>
</features></domainCapabilities>`;
const EXPANDED_XML = `<cpu><feature policy='require' name='sse2'/><feature policy='disable' name='svm'/></cpu>`;

const device = (name: string, problem?: string): DeviceState => ({
  resource: `devices.kubevirt.io/${name}`,
  path: `/dev/${name}`,
  isOptional: name === 'vhost-vsock',
  isOfHypervisor: name === 'kvm',
  ...(problem && { problem }),
});

const facts: NodeFacts = {
  host,
  capabilities: parseCapabilities('amd64', MACHINES, GUESTS_XML, EXPANDED_XML),
  devices: [device('tun'), device('vhost-net'), device('vhost-vsock', 'there is none'), device('kvm')],
  support: { hypervisor: 'kvm', virtType: 'kvm', devices: [], units: 110, obsoleteModels: new Set(['qemu64']) },
  kvm: { isUsable: true, reason: '' },
  versions: { libvirt: '9.0.0', agent: 'v1' },
};
const without: NodeFacts = {
  ...facts,
  devices: [device('tun'), device('kvm', '/dev/kvm does not exist')],
  support: { ...facts.support, problem: 'kvm needs devices.kubevirt.io/kvm: /dev/kvm does not exist' },
};
const emulated: NodeFacts = {
  ...facts,
  devices: [device('tun')],
  support: { ...facts.support, hypervisor: 'qemu', virtType: 'qemu' },
  kvm: { isUsable: false, reason: 'no /dev/kvm' },
};

const nodeWith = (parts: Pick<Node, 'metadata' | 'status'>): Node => ({ apiVersion: 'v1', kind: 'Node', ...parts });

describe('labels', () => {
  it('tell what guests can have', () => {
    expect(labelsOf({ ...facts, hasCpuManager: true })).toEqual({
      cpumanager: 'true',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': 'node-1',
      'kubernetes.io/os': 'linux',
      'kubevirt.io/cpumanager': 'true',
      'cpu-model.node.kubevirt.io/EPYC-IBPB': 'true',
      'cpu-model-migration.node.kubevirt.io/EPYC-IBPB': 'true',
      'cpu-model-migration.node.kubevirt.io/EPYC': 'true',
      'cpu-feature.node.kubevirt.io/x2apic': 'true',
      'cpu-feature.node.kubevirt.io/sse2': 'true',
      'host-model-cpu.node.kubevirt.io/EPYC': 'true',
      'host-model-required-features.node.kubevirt.io/x2apic': 'true',
      'cpu-vendor.node.kubevirt.io/AMD': 'true',
      'machine-type.node.kubevirt.io/q35': 'true',
      'machine-type.node.kubevirt.io/pc-q35-7.2': 'true',
      'hyperv.node.kubevirt.io/vpindex': 'true',
      'hyperv.node.kubevirt.io/synictimer': 'true',
      'hypervisor.node.kubevirt.io/name': 'kvm',
      'hypervisor.node.kubevirt.io/virt-type': 'kvm',
    });
  });

  it('leave out what only kvm passes on where another runs, and the name of one that does not run', () => {
    const names = (of: NodeFacts) => Object.keys(labelsOf(of)).filter((label) => /^hyper/.test(label));
    expect(names(emulated)).toEqual(['hypervisor.node.kubevirt.io/name', 'hypervisor.node.kubevirt.io/virt-type']);
    expect(labelsOf(emulated)).toMatchObject({ 'hypervisor.node.kubevirt.io/name': 'qemu' });
    expect(names(without).filter((label) => label.startsWith('hypervisor'))).toEqual([]);
  });

  it('go when they are no longer true; those of others stay', () => {
    const labels = { 'cpu-model.node.kubevirt.io/old': 'true', 'kubevirt.io/sev': 'true', zone: 'a' };
    const { labels: patch, annotations } = metadataPatch(facts, nodeWith({ metadata: { labels } }), now);
    expect(patch).toMatchObject({ 'cpu-model.node.kubevirt.io/old': null, 'kubevirt.io/sev': null });
    expect(patch).not.toHaveProperty('zone');
    expect(annotations).toEqual({ 'kubevirt.io/heartbeat': '2026-01-01T12:00:00Z' });
  });

  it('that are as they should be are not written', () => {
    expect(labelsPatch(facts, nodeWith({ metadata: { labels: labelsOf(facts) } }))).toBeUndefined();
  });

  it('stay as their administrator made them where the node says so', () => {
    const metadata = {
      labels: { 'cpu-model.node.kubevirt.io/mine': 'true' },
      annotations: { 'node-labeller.kubevirt.io/skip-node': 'true' },
    };
    expect(Object.keys(labelsPatch(facts, nodeWith({ metadata }))?.labels ?? {})).toEqual([
      'hypervisor.node.kubevirt.io/name',
      'kubernetes.io/arch',
      'kubernetes.io/hostname',
      'kubernetes.io/os',
      'kubevirt.io/cpumanager',
      'cpumanager',
    ]);
  });

  it('name the hypervisor only while it can run VMs, also where they are the administrator’s', () => {
    const name = 'hypervisor.node.kubevirt.io/name';
    const both: Record<string, string>[] = [{}, { 'node-labeller.kubevirt.io/skip-node': 'true' }];
    for (const annotations of both) {
      const node = nodeWith({ metadata: { annotations, labels: { ...labelsOf(facts), [name]: 'kvm' } } });
      expect(labelsPatch(without, node)?.labels).toMatchObject({ [name]: null });
      expect(labelsPatch(facts, node)?.labels?.[name]).toBeUndefined();
    }
  });

  it('of a plug-in are asked for once in a look, whoever reads them', () => {
    let asked = 0;
    const discoverFeatures = () => {
      asked += 1;
      return { 'vendor.test/turbo': String(asked) };
    };
    const labeller = { preferredVirtType: 'qemu', devices: [], discoverFeatures };
    const unregister = registerHypervisor({ name: 'slow', labeller });
    const support = withHypervisorLabels(
      { ...facts.support, hypervisor: 'slow' },
      facts.capabilities,
      facts.host.architecture,
    );
    for (let reads = 0; reads < 2; reads += 1)
      expect(labelsOf({ ...facts, support })).toMatchObject({ 'vendor.test/turbo': '1' });
    expect(asked).toBe(1);
    unregister();
  });

  it('of a plug-in go with it', () => {
    const labeller = {
      preferredVirtType: 'qemu',
      devices: [],
      discoverFeatures: () => ({ 'vendor.test/turbo': 'yes' }),
    };
    const unregister = registerHypervisor({ name: 'vendored', labeller });
    const vendored = { ...facts, support: { ...facts.support, hypervisor: 'vendored' } };
    const metadata = labelsPatch(vendored, undefined) ?? {};
    expect(metadata).toMatchObject({
      labels: { 'vendor.test/turbo': 'yes' },
      annotations: { 'vireo.dev/node-labels': 'vendor.test/turbo' },
    });
    unregister();
    expect(labelsPatch(facts, nodeWith({ metadata }))).toMatchObject({
      labels: { 'vendor.test/turbo': null },
      annotations: { 'vireo.dev/node-labels': null },
    });
  });
});

describe('the status', () => {
  it('has resources, and devices that work', () => {
    const { capacity, allocatable } = statusOf(facts, undefined, now);
    expect(capacity).toEqual({
      cpu: '8',
      memory: '16777216Ki',
      'ephemeral-storage': '104857600Ki',
      pods: '1000',
      'devices.kubevirt.io/kvm': '110',
      'devices.kubevirt.io/tun': '110',
      'devices.kubevirt.io/vhost-net': '110',
    });
    expect(allocatable).toEqual(capacity);
    expect(statusOf(emulated, undefined, now).capacity).not.toHaveProperty('devices.kubevirt.io/kvm');
  });

  it('counts huge pages apart from memory', () => {
    const hugePages = { 'hugepages-1Gi': 0, 'hugepages-2Mi': 80 * 2 ** 20 };
    const { capacity, allocatable } = statusOf({ ...facts, host: { ...host, hugePages } }, undefined, now);
    expect(capacity).toMatchObject({ memory: '16777216Ki', 'hugepages-1Gi': '0Ki', 'hugepages-2Mi': '81920Ki' });
    expect(allocatable).toMatchObject({ memory: `${16777216 - 81920}Ki`, 'hugepages-2Mi': '81920Ki' });
  });

  it('keeps the capacity of a device that does not work, and gives none away', () => {
    const { capacity, allocatable } = statusOf(without, undefined, now);
    expect(capacity).toMatchObject({ 'devices.kubevirt.io/kvm': '110' });
    expect(allocatable).toMatchObject({ 'devices.kubevirt.io/kvm': '0' });
  });

  it('follows devices and hypervisor, and touches nothing else', () => {
    const before = nodeWith({ metadata: {}, status: statusOf(facts, undefined, now) });
    expect(supportPatch(facts, before, now)).toBeUndefined();
    expect(supportPatch(without, before, now)).toEqual({
      capacity: { 'devices.kubevirt.io/vhost-net': null },
      allocatable: { 'devices.kubevirt.io/vhost-net': null, 'devices.kubevirt.io/kvm': '0' },
      conditions: [
        expect.objectContaining({ type: 'HypervisorReady', status: 'False', message: without.support.problem }),
      ],
    });
    const others = {
      ...before,
      status: { ...before.status, capacity: { ...before.status?.capacity, 'vendor.test/x': '1' } },
    };
    expect(supportPatch(facts, others, now)).toBeUndefined();
  });

  it('reports further conditions once, until they say something else', () => {
    const network = { type: 'RoutedPodNetwork', status: 'True', reason: 'GuestsHaveAddresses', message: 'routed' };
    const before = nodeWith({ metadata: {}, status: statusOf(facts, undefined, now) });
    const routed = { ...facts, conditions: [network] };
    expect(supportPatch(routed, before, now)).toEqual({ conditions: [expect.objectContaining(network)] });
    const told = nodeWith({ metadata: {}, status: statusOf(routed, before, now) });
    expect(supportPatch(routed, told, now)).toBeUndefined();
    const other = { ...network, status: 'False', reason: 'NoTun', message: 'no tun' };
    expect(supportPatch({ ...facts, conditions: [other] }, told, now)).toEqual({
      conditions: [expect.objectContaining(other)],
    });
  });

  it('tells whether guests are emulated, and why', () => {
    const emulationCondition = (of: NodeFacts) =>
      statusOf(of, undefined, now).conditions?.find(({ type }) => type === 'SoftwareEmulation');
    expect(emulationCondition(facts)).toMatchObject({ status: 'False' });
    expect(emulationCondition(emulated)).toMatchObject({ status: 'True', message: 'guests are emulated: no /dev/kvm' });
  });

  it('tells since when', () => {
    const before = nodeWith({ metadata: {}, status: statusOf(facts, undefined, now) });
    const later = statusOf(facts, before, new Date('2026-01-01T13:00:00Z'));
    const ready = later.conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({
      status: 'True',
      lastTransitionTime: '2026-01-01T12:00:00Z',
      lastHeartbeatTime: '2026-01-01T13:00:00Z',
    });
  });
});
