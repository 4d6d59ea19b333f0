import { describe, expect, it } from 'vitest';
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

  it('finds an implementation by its other names', () => {
    registry.alias('linux', 'kvm');
    expect(registry.resolve('linux', 'arm64')).toBe('<kvm/arm64>');
    expect(registry.layers('linux', 'amd64')).toEqual(registry.layers('kvm', 'amd64'));
    expect(() => registry.register('linux/s390x', 'x')).toThrow('"linux" is another name of "kvm"');
    expect(() => registry.alias('kvm', 'amd64')).toThrow('"kvm" already names a test');
    registry.unalias('linux');
    expect(registry.resolve('linux', 'arm64')).toBe('<>');
  });

  it('refuses a second implementation for a key', () => {
    expect(() => registry.register('kvm', 'again')).toThrow('hypervisor "kvm" already has a test');
  });
});
