import { describe, expect, it } from 'vitest';
import {
  canonicalHypervisor,
  effectiveHypervisor,
  hypervisorNames,
  registerHypervisor,
  registries,
  resolveConverter,
  resolveLabeller,
  resolveRuntime,
} from './registries.ts';

describe('hypervisors that come along', () => {
  it('are four, one of which has three names', () => {
    expect(hypervisorNames()).toEqual(['kvm', 'qemu', 'hyperv-layered', 'mshv', 'hyperv-direct', 'stub']);
    expect(canonicalHypervisor('hyperv-direct')).toBe('hyperv-layered');
    expect(canonicalHypervisor('xen')).toBeUndefined();
  });

  it.each(['mshv', 'hyperv-direct'])('%s is hyperv-layered in every registry', (alias) => {
    for (const registry of Object.values(registries)) {
      expect(registry.resolve(alias, 'amd64')).toBe(registry.resolve('hyperv-layered', 'amd64'));
    }
    expect(registries.defaults.layers(alias, 'amd64')).toEqual(registries.defaults.layers('hyperv-layered', 'amd64'));
  });

  it.each<[name: string, device: string[], virtType: string, domainType: string]>([
    ['kvm', ['kvm'], 'kvm', 'kvm'],
    ['qemu', [], 'qemu', 'qemu'],
    ['hyperv-layered', ['mshv'], 'hyperv', 'hyperv'],
    ['stub', ['stub'], 'test', 'test'],
    ['unheard-of', ['kvm'], 'kvm', 'kvm'],
  ])('%s asks for %j and is %s to libvirt', (name, devices, virtType, domainType) => {
    expect(resolveRuntime(name, false).deviceRequests.map(({ device }) => device)).toEqual(devices);
    expect(resolveLabeller(name, false).preferredVirtType).toBe(virtType);
    expect(resolveConverter(name, false).domainType).toBe(domainType);
  });

  it.each([
    ['kvm', 'qemu'],
    ['mshv', 'qemu'],
    ['qemu', 'qemu'],
    ['stub', 'stub'],
    ['unheard-of', 'qemu'],
  ])('%s is %s where the cluster emulates', (name, runs) => {
    expect(effectiveHypervisor(name, true)).toBe(runs);
  });
});

describe('registering a hypervisor', () => {
  it('fills the registries that it has something for, and empties them again', () => {
    const unregister = registerHypervisor({
      name: 'sample',
      aliases: ['example'],
      defaults: { '*': {}, amd64: {} },
      labeller: { preferredVirtType: 'test', devices: [] },
    });
    expect(registries.defaults.keys()).toEqual(expect.arrayContaining(['sample', 'sample/amd64']));
    expect(registries.labeller.resolve('example')?.preferredVirtType).toBe('test');
    expect(registries.converter.resolve('sample')).toBeUndefined();
    unregister();
    expect(registries.defaults.keys().filter((key) => key.startsWith('sample'))).toEqual([]);
    expect(registries.labeller.resolve('sample')).toBeUndefined();
    expect(canonicalHypervisor('example')).toBeUndefined();
  });

  it('leaves nothing behind when one of its parts is refused', () => {
    registries.labeller.register('taken', { preferredVirtType: 'x', devices: [] });
    expect(() =>
      registerHypervisor({
        name: 'taken',
        defaults: { riscv: {} },
        labeller: { preferredVirtType: 'x', devices: [] },
      }),
    ).toThrow('hypervisor "taken" already has a labeller');
    registries.labeller.unregister('taken');
    expect(registries.defaults.keys()).not.toContain('taken/riscv');
    expect(canonicalHypervisor('taken')).toBeUndefined();
  });

  it.each(['kvm', 'mshv'])('refuses the name %s, which is taken', (name) => {
    expect(() => registerHypervisor({ name })).toThrow(`hypervisor "${name}" is already registered`);
    expect(() => registerHypervisor({ name: 'sample', aliases: [name] })).toThrow('is already registered');
  });

  it('needs a name that fits into a command line', () => {
    expect(() => registerHypervisor({ name: 'K V M' })).toThrow('"K V M" is not a valid hypervisor name');
  });
});
