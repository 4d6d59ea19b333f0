import { describe, expect, it } from 'vitest';
import { registerHypervisor, registries } from './registries.ts';
import { createRegistry } from './registry.ts';

describe('a registry', () => {
  const registry = createRegistry<string>('test');
  for (const key of ['', 'amd64', 'kvm', 'kvm/arm64']) registry.register(key, `<${key}>`);

  it.each([
    ['kvm', 'arm64', '<kvm/arm64>'],
    ['kvm', 'amd64', '<kvm>'],
    ['stub', 'amd64', '<amd64>'],
    ['stub', 'arm64', '<>'],
  ])('finds the most specific for %s on %s', (hypervisor, architecture, found) => {
    expect(registry.resolve(hypervisor, architecture)).toBe(found);
  });

  it('lists layers from the general to the specific', () => {
    expect(registry.layers('kvm', 'amd64')).toEqual(['<>', '<kvm>', '<amd64>']);
    expect(registry.layers('kvm', 'arm64')).toEqual(['<>', '<kvm>', '<kvm/arm64>']);
  });

  it('refuses a second implementation for a key', () => {
    expect(() => registry.register('kvm', 'again')).toThrow('hypervisor "kvm" already has a test');
  });
});

describe('registering a hypervisor', () => {
  it('fills the registries that it has something for, and empties them again', () => {
    const unregister = registerHypervisor({
      name: 'stub',
      defaults: { '*': {}, amd64: {} },
      labeller: { virtType: 'test', devices: [] },
    });
    expect(registries.defaults.keys()).toEqual(expect.arrayContaining(['stub', 'stub/amd64']));
    expect(registries.labeller.resolve('stub')?.virtType).toBe('test');
    expect(registries.converter.resolve('stub')).toBeUndefined();
    unregister();
    expect(registries.defaults.keys().filter((key) => key.startsWith('stub'))).toEqual([]);
    expect(registries.labeller.resolve('stub')).toBeUndefined();
  });

  it('leaves nothing behind when one of its parts is refused', () => {
    expect(() =>
      registerHypervisor({ name: 'kvm', defaults: { riscv: {} }, labeller: { virtType: 'x', devices: [] } }),
    ).toThrow('hypervisor "kvm" already has a labeller');
    expect(registries.defaults.keys()).not.toContain('kvm/riscv');
  });

  it('needs a name that fits into a command line', () => {
    expect(() => registerHypervisor({ name: 'K V M' })).toThrow('"K V M" is no name for a hypervisor');
  });
});
