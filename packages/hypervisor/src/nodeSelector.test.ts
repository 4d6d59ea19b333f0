import { describe, expect, it } from 'vitest';
import { clusterConfig } from './clusterConfig.ts';
import { hypervisorLabels, nodeLabels } from './labels.ts';
import { launcherNodeSelector, rejectedNodeLabels } from './nodeSelector.ts';
import { resolveLabeller } from './registries.ts';
import { vmiWith } from './testing/fixtures.ts';
import { kubevirtWith } from './testing/kubevirt.ts';

const plain = clusterConfig(undefined);
const emulating = clusterConfig(kubevirtWith({ developerConfiguration: { useEmulation: true } }));

describe('node selector of the launcher', () => {
  it('asks every node for the architecture, the machine type and to be schedulable', () => {
    expect(launcherNodeSelector(vmiWith(), plain)).toEqual({
      'kubevirt.io/schedulable': 'true',
      'kubernetes.io/arch': 'amd64',
      'hypervisor.node.kubevirt.io/name': 'kvm',
      'machine-type.node.kubevirt.io/q35': 'true',
    });
  });

  it.each<[string, Parameters<typeof vmiWith>[0], string[]]>([
    ['host-model runs anywhere', { cpu: { model: 'host-model' } }, []],
    ['a named model does not', { cpu: { model: 'Haswell' } }, ['cpu-model.node.kubevirt.io/Haswell']],
    [
      'required features',
      { cpu: { features: [{ name: 'vmx' }, { name: 'avx', policy: 'require' }, { name: 'x', policy: 'optional' }] } },
      ['cpu-feature.node.kubevirt.io/vmx', 'cpu-feature.node.kubevirt.io/avx'],
    ],
    ['dedicated processors', { cpu: { dedicatedCpuPlacement: true } }, ['kubevirt.io/cpumanager']],
    ['SEV-ES', { launchSecurity: { sev: { policy: { encryptedState: true } } } }, ['kubevirt.io/sev-es']],
    ['Hyper-V without its gate', { features: { hyperv: { synic: {} } } }, []],
  ])('%s', (_title, domain, labels) => {
    const selector = Object.keys(launcherNodeSelector(vmiWith(domain), plain));
    expect(selector.filter((label) => !/schedulable|\/arch|machine-type|hypervisor/.test(label))).toEqual(labels);
  });

  it.each<[string, Parameters<typeof vmiWith>[0], typeof plain, string[]]>([
    ['host-model wants no obsolete host', {}, plain, ['node-labeller.kubevirt.io/obsolete-host-model']],
    ['an emulated guest sees nothing of its host', {}, emulating, []],
    ['nor does one with a model', { cpu: { model: 'Haswell' } }, plain, []],
    [
      'forbidden features',
      { cpu: { model: 'Haswell', features: [{ name: 'vmx', policy: 'forbid' }, { name: 'avx' }] } },
      plain,
      ['cpu-feature.node.kubevirt.io/vmx'],
    ],
  ])('rejects nodes: %s', (_title, domain, config, labels) => {
    expect(rejectedNodeLabels(vmiWith(domain), config)).toEqual(labels);
  });

  it('asks for Hyper-V features with the gate', () => {
    const config = clusterConfig(kubevirtWith({ developerConfiguration: { featureGates: ['HypervStrictCheck'] } }));
    const evmcs = launcherNodeSelector(vmiWith({ features: { hyperv: { evmcs: {} } } }), config);
    expect(evmcs).toHaveProperty(['cpu-vendor.node.kubevirt.io/Intel'], 'true');
    const vmi = vmiWith({ features: { hyperv: { synic: {}, relaxed: {}, ipi: { enabled: false } } } });
    expect(Object.keys(launcherNodeSelector(vmi, config))).toContain('hyperv.node.kubevirt.io/synic');
    expect(Object.keys(launcherNodeSelector(vmi, config)).filter((key) => key.startsWith('hyperv.'))).toHaveLength(1);
  });

  it("has the cluster's and the user's own labels", () => {
    const config = clusterConfig(
      kubevirtWith({ developerConfiguration: { nodeSelectors: { pool: 'vms', zone: 'a' } } }),
    );
    const selector = launcherNodeSelector(vmiWith({}, { nodeSelector: { zone: 'b' } }), config);
    expect(selector).toMatchObject({ pool: 'vms', zone: 'b' });
  });
});

describe('labels of a node', () => {
  const host = {
    architecture: 'amd64',
    machineTypes: ['q35', 'pc-q35-7.2'],
    cpuModels: ['Haswell', 'qemu64'],
    hostModel: 'Haswell',
    cpuVendor: 'Intel',
    cpuFeatures: ['vmx', 'not a label'],
    hypervFeatures: ['synic'],
    tsc: { frequencyHz: 2_000_000_000, isScalable: false },
    protections: ['sev'],
  };

  it('say what the node can do, in names that Kubernetes takes', () => {
    expect(nodeLabels(host, new Set(['qemu64']))).toEqual({
      'cpu-model.node.kubevirt.io/Haswell': 'true',
      'cpu-model-migration.node.kubevirt.io/Haswell': 'true',
      'cpu-feature.node.kubevirt.io/vmx': 'true',
      'host-model-cpu.node.kubevirt.io/Haswell': 'true',
      'cpu-vendor.node.kubevirt.io/Intel': 'true',
      'machine-type.node.kubevirt.io/q35': 'true',
      'machine-type.node.kubevirt.io/pc-q35-7.2': 'true',
      'kubevirt.io/sev': 'true',
      'cpu-timer.node.kubevirt.io/tsc-frequency': '2000000000',
      'cpu-timer.node.kubevirt.io/tsc-scalable': 'false',
    });
  });

  it('name the hypervisor; enlightenments are kvm’s, and on amd64 only', () => {
    const own = (name: string, architecture: string) => {
      const labels = hypervisorLabels(name, resolveLabeller(name, false), { ...host, architecture });
      return Object.keys(labels).filter((label) => /^hyperv(isor)?\./.test(label));
    };
    const names = ['hypervisor.node.kubevirt.io/name', 'hypervisor.node.kubevirt.io/virt-type'];
    expect(own('kvm', 'amd64')).toEqual([...names, 'hyperv.node.kubevirt.io/synic']);
    expect(own('kvm', 'arm64')).toEqual(names);
    expect(own('qemu', 'amd64')).toEqual(names);
    expect(hypervisorLabels('qemu', resolveLabeller('qemu', false), host)).toMatchObject({
      'hypervisor.node.kubevirt.io/name': 'qemu',
      'hypervisor.node.kubevirt.io/virt-type': 'qemu',
    });
  });

  it('are what launchers look for', () => {
    const vmi = vmiWith({ cpu: { model: 'Haswell', features: [{ name: 'vmx' }] } });
    const { 'kubevirt.io/schedulable': _, 'kubernetes.io/arch': __, ...wanted } = launcherNodeSelector(vmi, plain);
    expect(hypervisorLabels('kvm', resolveLabeller('kvm', false), host)).toMatchObject(wanted);
  });
});
