import { describe, expect, it } from 'vitest';
import { clusterConfig } from './clusterConfig.ts';
import { launcherResources } from './resources.ts';
import { vmiWith } from './testing/fixtures.ts';
import { kubevirtWith } from './testing/kubevirt.ts';

const plain = clusterConfig(undefined);
const emulating = clusterConfig(kubevirtWith({ developerConfiguration: { useEmulation: true } }));
const byQemu = clusterConfig(
  kubevirtWith({
    hypervisorConfiguration: { name: 'qemu' },
    developerConfiguration: { featureGates: ['ConfigurableHypervisor'] },
  }),
);

describe('resources of the launcher', () => {
  it('are guest memory with overhead, a tenth of a processor and the devices', () => {
    expect(launcherResources(vmiWith({ memory: { guest: '128Mi' } }), plain)).toEqual({
      requests: { cpu: '100m', memory: '396Mi', 'ephemeral-storage': '50M' },
      limits: { 'devices.kubevirt.io/kvm': '1', 'devices.kubevirt.io/tun': '1' },
    });
  });

  it.each<[string, Parameters<typeof vmiWith>[0], Record<string, string>]>([
    ['ten virtual processors a processor', { cpu: { cores: 4, sockets: 3 } }, { cpu: '1200m' }],
    ['ten of them are a whole one', { cpu: { cores: 10 } }, { cpu: '1' }],
    ['the user has the last word', { resources: { requests: { cpu: '250m' } } }, { cpu: '250m' }],
    ['limits stand in for requests', { memory: {}, resources: { limits: { memory: '1Gi' } } }, { memory: '1292Mi' }],
    ['overhead can be left to luck', { resources: { overcommitGuestOverhead: true } }, { memory: '128Mi' }],
    [
      'pages of the request cost a little more',
      { resources: { requests: { memory: '128Mi' } } },
      { memory: `${396 * 1024 + 256}Ki` },
    ],
    ['sums keep the form of what was asked', { memory: { guest: '1024M' } }, { memory: '1305018368' }],
    ['dedicated processors are whole ones', { cpu: { cores: 4, dedicatedCpuPlacement: true } }, { cpu: '4' }],
    [
      'the emulator may have one more',
      { cpu: { cores: 4, dedicatedCpuPlacement: true, isolateEmulatorThread: true } },
      { cpu: '5' },
    ],
    [
      'a pool of I/O threads counts',
      { ioThreadsPolicy: 'supplementalPool', ioThreads: { supplementalPoolThreadCount: 4 } },
      { cpu: '500m' },
    ],
    [
      'storage of its own comes on top',
      { resources: { requests: { 'ephemeral-storage': '1G' } } },
      { 'ephemeral-storage': '1050M' },
    ],
    [
      'unknown resources are handed on',
      { resources: { requests: { 'example.com/thing': '2' } } },
      { 'example.com/thing': '2' },
    ],
  ])('requests: %s', (_title, domain, expected) => {
    expect(launcherResources(vmiWith(domain), plain).requests).toMatchObject(expected);
  });

  it('count huge pages apart', () => {
    const domain = { memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } } };
    const { requests, limits } = launcherResources(vmiWith(domain), plain);
    expect(requests).toMatchObject({ 'hugepages-2Mi': '1Gi', memory: '268Mi' });
    expect(limits).toMatchObject({ 'hugepages-2Mi': '1Gi' });
    expect(limits).not.toHaveProperty('memory');
  });

  it('count what is asked for beyond the guest as ordinary memory', () => {
    const domain = {
      memory: { guest: '64Mi', hugepages: { pageSize: '2Mi' } },
      resources: { requests: { memory: '128Mi' }, limits: { memory: '256Mi' } },
    };
    const { requests, limits } = launcherResources(vmiWith(domain), plain);
    expect(requests).toMatchObject({ 'hugepages-2Mi': '64Mi', memory: `${(64 + 268) * 1024 + 256}Ki` });
    expect(limits).toMatchObject({ 'hugepages-2Mi': '64Mi', memory: `${(192 + 268) * 1024 + 256}Ki` });
  });

  it.each<[string, Parameters<typeof vmiWith>[0]]>([
    ['plain memory', {}],
    ['huge pages', { memory: { guest: '1Gi', hugepages: { pageSize: '1Gi' } } }],
  ])('make a pod with dedicated CPUs Guaranteed: %s', (_title, domain) => {
    const overcommitting = clusterConfig(kubevirtWith({ developerConfiguration: { memoryOvercommit: 200 } }));
    const vmi = vmiWith({ ...domain, cpu: { cores: 2, dedicatedCpuPlacement: true } });
    for (const config of [plain, overcommitting]) {
      const { requests, limits } = launcherResources(vmi, config);
      expect({ cpu: limits.cpu, memory: limits.memory }).toEqual({ cpu: '2', memory: requests.memory });
      expect(requests.cpu).toBe('2');
    }
    expect(launcherResources(vmi, overcommitting)).toEqual(launcherResources(vmi, plain));
  });

  it('count dedicated CPUs where nodes say how many they have', () => {
    const vmi = vmiWith({ cpu: { cores: 2, dedicatedCpuPlacement: true, isolateEmulatorThread: true } });
    const offered = new Set(['vireo.dev/dedicated-cpus']);
    const { requests, limits } = launcherResources(vmi, plain, {}, offered);
    for (const each of [requests, limits]) expect(each).toMatchObject({ cpu: '3', 'vireo.dev/dedicated-cpus': '3' });
    expect(launcherResources(vmi, plain).requests).not.toHaveProperty(['vireo.dev/dedicated-cpus']);
    expect(launcherResources(vmiWith(), plain, {}, offered)).toEqual(launcherResources(vmiWith(), plain));
  });

  it('give the emulator a second CPU where that makes the number even', () => {
    const vmi = vmiWith({ cpu: { cores: 4, dedicatedCpuPlacement: true, isolateEmulatorThread: true } });
    const annotations = { 'alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity': '' };
    expect(launcherResources({ ...vmi, metadata: { annotations } }, plain).requests.cpu).toBe('6');
  });

  it('limit memory and processors where the user or the namespace says so', () => {
    const domain = { resources: { limits: { memory: '1Gi', cpu: '2' } } };
    expect(launcherResources(vmiWith(domain), plain).limits).toMatchObject({ cpu: '2', memory: '1300Mi' });
    const automatic = launcherResources(vmiWith(), plain, { autoMemoryLimitRatio: 2, autoCpuLimit: true });
    expect(automatic.limits).toMatchObject({ cpu: '1', memory: '792Mi' });
  });

  it('overcommit memory as the cluster says', () => {
    const config = clusterConfig(kubevirtWith({ developerConfiguration: { memoryOvercommit: 200 } }));
    expect(launcherResources(vmiWith({ memory: { guest: '1Gi' } }), config).requests.memory).toBe('780Mi');
  });

  it.each<[string, Parameters<typeof vmiWith>[0], typeof plain, Record<string, string>]>([
    ['emulation needs no KVM', {}, emulating, { tun: '1' }],
    [
      'virtio cards use the kernel',
      { devices: { interfaces: [{ name: 'a' }] } },
      plain,
      { kvm: '1', tun: '1', 'vhost-net': '1' },
    ],
    ['nor with the emulator itself', { devices: { interfaces: [{ name: 'a' }] } }, byQemu, { tun: '1' }],
    ['but not when emulated', { devices: { interfaces: [{ name: 'a' }] } }, emulating, { tun: '1' }],
    ['other cards do not', { devices: { interfaces: [{ name: 'a', model: 'e1000' }] } }, plain, { kvm: '1', tun: '1' }],
    ['no network, no tun', { devices: { autoattachPodInterface: false } }, plain, { kvm: '1' }],
    ['VSOCK', { devices: { autoattachVSOCK: true } }, plain, { kvm: '1', tun: '1', 'vhost-vsock': '1' }],
    ['SEV', { launchSecurity: { sev: {} } }, plain, { kvm: '1', tun: '1', sev: '1' }],
    [
      'reservations',
      { devices: { disks: [{ name: 'l', lun: { reservation: true } }] } },
      plain,
      { kvm: '1', tun: '1', 'pr-helper': '1' },
    ],
  ])('devices: %s', (_title, domain, config, expected) => {
    const prefixed = Object.entries(expected).map(([name, count]) => [`devices.kubevirt.io/${name}`, count]);
    const limits = Object.entries(launcherResources(vmiWith(domain), config).limits);
    expect(limits.filter(([name]) => name.startsWith('devices.'))).toEqual(prefixed);
  });

  it('count devices of the node in requests and limits', () => {
    const gpu = { deviceName: 'nvidia.com/T4' };
    const vmi = vmiWith({
      devices: {
        gpus: [
          { name: 'a', ...gpu },
          { name: 'b', ...gpu },
        ],
      },
    });
    const { requests, limits } = launcherResources(vmi, plain);
    expect([requests['nvidia.com/T4'], limits['nvidia.com/T4']]).toEqual(['2', '2']);
  });
});
