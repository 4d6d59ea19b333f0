import type { Node } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { parseCapabilities } from '../host/capabilities.ts';
import type { Host } from '../host/host.ts';
import { labelsOf, metadataPatch, type NodeFacts, statusOf } from './nodeObject.ts';

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
  devices: ['tun', 'vhost-net'],
};

const MACHINES = `Supported machines are:
q35                  Standard PC (Q35 + ICH9, 2009) (alias of pc-q35-7.2)
pc-q35-7.2           Standard PC (Q35 + ICH9, 2009)
none                 empty machine
`;
const GUESTS_XML = `<domainCapabilities><cpu>
<mode name='host-model' supported='yes'><model fallback='forbid'>EPYC</model><vendor>AMD</vendor>
<feature policy='require' name='x2apic'/><feature policy='disable' name='svm'/></mode>
<mode name='custom' supported='yes'><model usable='yes' vendor='unknown'>qemu64</model>
<model usable='no' vendor='Intel'>Skylake-Client</model></mode></cpu></domainCapabilities>`;

const facts: NodeFacts = {
  host,
  capabilities: parseCapabilities('amd64', MACHINES, GUESTS_XML),
  kvm: { isUsable: true, reason: '' },
  versions: { libvirt: '9.0.0', agent: 'v1' },
};
const emulated: NodeFacts = { ...facts, kvm: { isUsable: false, reason: 'no /dev/kvm' } };

describe('what the node says of itself', () => {
  it('labels', () => {
    expect(labelsOf(facts)).toEqual({
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/hostname': 'node-1',
      'kubernetes.io/os': 'linux',
      'kubevirt.io/schedulable': 'true',
      'kubevirt.io/cpumanager': 'false',
      'cpu-model.node.kubevirt.io/qemu64': 'true',
      'cpu-model-migration.node.kubevirt.io/qemu64': 'true',
      'cpu-model-migration.node.kubevirt.io/EPYC': 'true',
      'cpu-feature.node.kubevirt.io/x2apic': 'true',
      'host-model-cpu.node.kubevirt.io/EPYC': 'true',
      'host-model-required-features.node.kubevirt.io/x2apic': 'true',
      'cpu-vendor.node.kubevirt.io/AMD': 'true',
      'machine-type.node.kubevirt.io/q35': 'true',
      'machine-type.node.kubevirt.io/pc-q35-7.2': 'true',
      'hypervisor.node.kubevirt.io/name': 'kvm',
      'hypervisor.node.kubevirt.io/virt-type': 'kvm',
    });
    expect(labelsOf(emulated)).toMatchObject({ 'hypervisor.node.kubevirt.io/name': 'qemu' });
  });

  it('labels that it no longer deserves go, those of others stay', () => {
    const labels = { 'cpu-model.node.kubevirt.io/old': 'true', zone: 'a' };
    const before: Node = { apiVersion: 'v1', kind: 'Node', metadata: { labels } };
    const patch = metadataPatch(facts, before, now);
    expect(patch.labels).toMatchObject({ 'cpu-model.node.kubevirt.io/old': null });
    expect(patch.labels).not.toHaveProperty('zone');
    expect(patch.annotations).toEqual({ 'kubevirt.io/heartbeat': '2026-01-01T12:00:00Z' });
  });

  it('resources', () => {
    const { capacity, allocatable } = statusOf(facts, undefined, now);
    expect(capacity).toEqual({
      cpu: '8',
      memory: '16777216Ki',
      'ephemeral-storage': '104857600Ki',
      pods: '1000',
      'devices.kubevirt.io/kvm': '1000',
      'devices.kubevirt.io/tun': '1000',
      'devices.kubevirt.io/vhost-net': '1000',
    });
    expect(allocatable).toEqual(capacity);
    expect(statusOf(emulated, undefined, now).capacity).not.toHaveProperty('devices.kubevirt.io/kvm');
  });

  it('whether guests are emulated, and why', () => {
    const said = (of: NodeFacts) =>
      statusOf(of, undefined, now).conditions?.find(({ type }) => type === 'SoftwareEmulation');
    expect(said(facts)).toMatchObject({ status: 'False' });
    expect(said(emulated)).toMatchObject({ status: 'True', message: 'guests are emulated: no /dev/kvm' });
  });

  it('since when', () => {
    const status = statusOf(facts, undefined, now);
    const before: Node = { apiVersion: 'v1', kind: 'Node', metadata: {}, status };
    const later = statusOf(facts, before, new Date('2026-01-01T13:00:00Z'));
    const ready = later.conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({
      status: 'True',
      lastTransitionTime: '2026-01-01T12:00:00Z',
      lastHeartbeatTime: '2026-01-01T13:00:00Z',
    });
  });
});
