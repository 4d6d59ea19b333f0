import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { describe, expect, it } from 'vitest';
import { guestLimits, type LauncherFacts } from './guestLimits.ts';

type Domain = VirtualMachineInstance['spec']['domain'];

const MIB = 1024n * 1024n;
const limitsOf = (domain: Partial<Domain>, launcher: Partial<LauncherFacts> = {}) =>
  guestLimits(
    {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstance',
      metadata: { name: 'web' },
      spec: { domain: { devices: {}, ...domain } },
    },
    { resources: {}, overheadBytes: 300n * MIB, isEmulated: false, ...launcher },
  );

describe('the memory limit of a guest', () => {
  const guest = { memory: { guest: '1Gi' } };
  it.each<[string, Partial<Domain>, Partial<LauncherFacts>, bigint]>([
    ['is its memory and the overhead', guest, {}, 1324n],
    ['has room for the translated code of an emulated guest', guest, { isEmulated: true }, 1324n + 1024n],
    [
      'has room for an emulator, however small the overhead',
      guest,
      { isEmulated: true, overheadBytes: 0n },
      1024n + 256n + 1024n,
    ],
    ['is the limit of the VMI and the overhead', { ...guest, resources: { limits: { memory: '2Gi' } } }, {}, 2348n],
    ['is never below what the guest needs', { ...guest, resources: { limits: { memory: '512Mi' } } }, {}, 1324n],
    [
      'counts the memory that the guest has, not what is requested for it',
      { ...guest, resources: { requests: { memory: '512Mi' } } },
      {},
      1324n,
    ],
    ['does not count huge pages', { memory: { guest: '1Gi', hugepages: { pageSize: '2Mi' } } }, {}, 300n],
    ['is found without memory.guest', { resources: { requests: { memory: '256Mi' } } }, {}, 556n],
  ])('%s', (_, domain, launcher, expectedMib) => {
    expect(limitsOf(domain, launcher).memoryBytes / MIB).toBe(expectedMib);
  });
});

describe('CPU time follows the launcher pod:', () => {
  it.each<[string, LauncherFacts['resources'], number, number | undefined]>([
    ['a request is a share', { requests: { cpu: '500m' } }, 512, undefined],
    ['a limit is a ceiling', { requests: { cpu: '100m' }, limits: { cpu: '1500m' } }, 102, 1500],
    ['a limit alone is a request as well', { limits: { cpu: '2' } }, 2048, 2000],
    ['without either it has the smallest share', {}, 2, undefined],
    ['more CPUs than the kernel can count are the most that it can', { requests: { cpu: '1000' } }, 262_144, undefined],
  ])('%s', (_, resources, cpuShares, cpuMillis) => {
    const limits = limitsOf({}, { resources });
    expect([limits.cpuShares, limits.cpuMillis]).toEqual([cpuShares, cpuMillis]);
  });

  it('CPUs of its own have no ceiling', () => {
    const resources = { requests: { cpu: '2' }, limits: { cpu: '2' } };
    expect(limitsOf({ cpu: { cores: 2, dedicatedCpuPlacement: true } }, { resources })).not.toHaveProperty('cpuMillis');
  });
});

describe('processes and threads', () => {
  const disk = (name: string) => ({ name, disk: { bus: 'virtio' } });
  it.each<[string, Partial<Domain>, number]>([
    ['are at least a thousand', {}, 1025],
    ['grow with the CPUs that can be plugged in', { cpu: { sockets: 2, cores: 4, maxSockets: 8 } }, 1056],
    ['grow with disks', { devices: { disks: [disk('a'), disk('b')] } }, 1025 + 130],
    ['grow with a pool of I/O threads', { ioThreads: { supplementalPoolThreadCount: 4 } }, 1025 + 260],
  ])('%s', (_, domain, tasks) => {
    expect(limitsOf(domain).tasks).toBe(tasks);
  });
});
