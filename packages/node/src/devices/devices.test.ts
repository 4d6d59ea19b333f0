import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterConfig, registerHypervisor } from '@vireo/hypervisor';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeviceHealth } from './deviceHealth.ts';
import { deviceResources } from './resources.ts';
import { type WantedDevice, wantedOf } from './wanted.ts';

const config = (name: string, useEmulation = false) =>
  clusterConfig({
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: {},
    spec: {
      configuration: {
        hypervisorConfiguration: { name },
        developerConfiguration: { useEmulation, featureGates: ['ConfigurableHypervisor'] },
      },
    },
  });
const names = (devices: readonly WantedDevice[]) => devices.map(({ resource }) => resource.split('/')[1]).sort();

describe('devices that a node is to offer', () => {
  it.each([
    ['kvm', false, 'kvm', ['kvm', 'sev', 'tun', 'vhost-net', 'vhost-vsock']],
    ['kvm', true, 'qemu', ['sev', 'tun', 'vhost-vsock']],
    ['qemu', false, 'qemu', ['sev', 'tun', 'vhost-vsock']],
    ['mshv', false, 'hyperv-layered', ['mshv', 'sev', 'tun', 'vhost-net', 'vhost-vsock']],
  ])('%s, emulated: %s', (name, useEmulation, hypervisor, expected) => {
    const wanted = wantedOf(config(name, useEmulation), 'amd64');
    expect(wanted.hypervisor).toBe(hypervisor);
    expect(names(wanted.devices)).toEqual(expected);
  });

  it('a plug-in says which of its own can be missing', () => {
    const deviceRequests = [
      { device: 'turbo', path: '/dev/turbo' },
      { device: 'boost', path: '/dev/boost', isOptional: true },
    ];
    const runtime = { deviceRequests, memoryOverheadBytes: () => 0n, memlockBytes: () => undefined };
    const unregister = registerHypervisor({
      name: 'turbo',
      runtime,
      labeller: { preferredVirtType: 'turbo', devices: [] },
    });
    const states = wantedOf(config('turbo'), 'amd64')
      .devices.filter(({ isOfHypervisor }) => isOfHypervisor)
      .map((device) => ({ ...device, problem: 'it is not there' }));
    unregister();
    expect(deviceResources(states, 10)).toEqual({
      capacity: { 'devices.kubevirt.io/turbo': '10' },
      allocatable: { 'devices.kubevirt.io/turbo': '0' },
    });
  });
});

describe('a device', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'vireo-devices-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const device: WantedDevice = { resource: 'devices.test/x', path: '/x', isOptional: false, isOfHypervisor: true };

  it('is tried when it appears or changes, and not each time', async () => {
    let tries = 0;
    let answer: string | undefined = 'it does not work';
    const test = async () => {
      tries++;
      return answer;
    };
    const health = new DeviceHealth({ root, tests: { [device.resource]: test } });
    expect(await health.check(device)).toEqual({ ...device, problem: '/x does not exist' });
    expect(tries).toBe(0);

    await writeFile(join(root, 'x'), '', { mode: 0o644 });
    expect(await health.check(device)).toEqual({ ...device, problem: 'it does not work' });
    expect(await health.check(device)).toEqual({ ...device, problem: 'it does not work' });
    expect(tries).toBe(1);

    answer = undefined;
    await rm(join(root, 'x'));
    await health.check(device);
    await writeFile(join(root, 'x'), '', { mode: 0o644 });
    expect(await health.check(device)).toEqual(device);
    await chmod(join(root, 'x'), 0o600);
    await health.check(device);
    expect(tries).toBe(3);
  });

  it('without a file is one of simulated nodes', async () => {
    const problem = (await new DeviceHealth().check({ ...device, path: '' })).problem;
    expect(problem).toBe('only simulated nodes have it');
  });
});
