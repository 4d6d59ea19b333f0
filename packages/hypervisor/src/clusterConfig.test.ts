import type { KubeVirtConfiguration } from '@vireo/api/kinds/kubevirt/kubeVirtConfiguration.ts';
import { describe, expect, it } from 'vitest';
import { architectureOf } from './architecture.ts';
import { clusterConfig } from './clusterConfig.ts';
import { kubevirtWith } from './testing/kubevirt.ts';

describe('settings of the cluster', () => {
  it("are KubeVirt's defaults where nothing is said", () => {
    expect(clusterConfig(undefined)).toMatchObject({
      hypervisor: 'kvm',
      useEmulation: false,
      defaultArchitecture: 'amd64',
      cpuAllocationRatio: 10,
      memoryOvercommitPercent: 100,
      evictionStrategy: 'None',
      rolloutStrategy: 'LiveUpdate',
      liveUpdate: { maxHotplugRatio: 4 },
      network: { defaultInterface: 'bridge', permitsBridgeOnPodNetwork: true },
      memBalloonStatsPeriodSeconds: 10,
      freePageReporting: true,
      logsSerialConsole: true,
      vmisPerNode: 1000,
      architectures: {
        amd64: { machineType: 'q35', emulatedMachines: ['q35*', 'pc-q35*'] },
        arm64: { machineType: 'virt', emulatedMachines: ['virt*'] },
        s390x: { machineType: 's390-ccw-virtio', emulatedMachines: ['s390-ccw-virtio*'] },
      },
    });
  });

  it('follow the object', () => {
    const config = clusterConfig(
      kubevirtWith({
        machineType: 'pc-q35-7.2',
        cpuRequest: '100m',
        obsoleteCPUModels: { Haswell: true, Conroe: false },
        permittedHostDevices: { pciHostDevices: [{ pciVendorSelector: '10de:1eb8', resourceName: 'nvidia.com/T4' }] },
        virtualMachineInstancesPerNode: 0,
        virtualMachineOptions: { disableFreePageReporting: {}, disableSerialConsoleLog: {} },
        developerConfiguration: { useEmulation: true, cpuAllocationRatio: 4, nodeSelectors: { a: 'b' } },
      }),
    );
    expect(config).toMatchObject({
      useEmulation: true,
      cpuAllocationRatio: 4,
      nodeSelectors: { a: 'b' },
      permittedDevices: ['nvidia.com/T4'],
      freePageReporting: false,
      logsSerialConsole: false,
      vmisPerNode: 0,
    });
    expect(config.architectures.amd64.machineType).toBe('pc-q35-7.2');
    expect(config.cpuRequest).toBeUndefined();
    expect([...config.obsoleteCpuModels]).toEqual(['Haswell']);
  });

  const open = { developerConfiguration: { featureGates: ['ConfigurableHypervisor'] } };

  it.each<[title: string, configuration: KubeVirtConfiguration, hypervisor: string]>([
    ['nothing is said', open, 'kvm'],
    ['the gate is closed', { hypervisorConfiguration: { name: 'stub' }, hypervisors: [{ name: 'stub' }] }, 'kvm'],
    ['it is named', { ...open, hypervisorConfiguration: { name: 'qemu' } }, 'qemu'],
    ['it is named as KubeVirt does', { ...open, hypervisors: [{ name: 'hyperv-direct' }] }, 'hyperv-layered'],
    [
      'both are named: the object goes first',
      { ...open, hypervisorConfiguration: { name: 'mshv' }, hypervisors: [{ name: 'stub' }] },
      'hyperv-layered',
    ],
    ['nobody registered it', { ...open, hypervisorConfiguration: { name: 'xen' } }, 'kvm'],
  ])('choose the hypervisor: %s', (_title, configuration, hypervisor) => {
    expect(clusterConfig(kubevirtWith(configuration)).hypervisor).toBe(hypervisor);
  });

  it('name a hypervisor that nobody registered, so that no VMI starts on another', () => {
    const config = clusterConfig(kubevirtWith({ ...open, hypervisorConfiguration: { name: 'xen' } }));
    expect(config.missingHypervisor).toBe('xen');
    expect(clusterConfig(kubevirtWith({ hypervisorConfiguration: { name: 'xen' } })).missingHypervisor).toBeUndefined();
  });

  it('open beta gates unless they are closed by name', () => {
    const gates = (developerConfiguration: object) => clusterConfig(kubevirtWith({ developerConfiguration })).gates;
    expect(gates({}).has('DeclarativeHotplugVolumes')).toBe(true);
    expect(gates({ disabledFeatureGates: ['DeclarativeHotplugVolumes'] }).has('DeclarativeHotplugVolumes')).toBe(false);
    expect(gates({ featureGates: ['VSOCK'] }).has('VSOCK')).toBe(true);
    expect(gates({ featureGates: ['VSOCK'], disabledFeatureGates: ['VSOCK'] }).has('VSOCK')).toBe(false);
  });

  it('know the architecture: of the VMI, of the object, of the status, of the host', () => {
    const named = (defaultArchitecture: string) =>
      clusterConfig(kubevirtWith({ architectureConfiguration: { defaultArchitecture } }), 'amd64');
    expect(architectureOf({ architecture: 'arm64' }, clusterConfig(undefined))).toBe('arm64');
    expect(architectureOf({}, named('arm64'))).toBe('arm64');
    expect(clusterConfig({ ...kubevirtWith({}), status: { defaultArchitecture: 's390x' } }).defaultArchitecture).toBe(
      's390x',
    );
    expect(clusterConfig(undefined, 'arm64').defaultArchitecture).toBe('arm64');
  });
});
