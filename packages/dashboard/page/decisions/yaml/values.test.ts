import { describe, expect, it } from 'vitest';
import { isEqual, parsePath, pathText, valueAt, withValue } from './values.ts';

describe('a path', () => {
  it.each([
    ['spec.volumes[0].name', ['spec', 'volumes', 0, 'name']],
    ['metadata.labels[app.kubernetes.io/name]', ['metadata', 'labels', 'app.kubernetes.io/name']],
    ['metadata', ['metadata']],
  ])('%s is read and written', (text, path) => {
    expect(parsePath(text)).toEqual(path);
    expect(pathText(path)).toBe(text);
  });
});

describe('a value', () => {
  const vm = { spec: { disks: [{ name: 'a' }, { name: 'b' }], other: 1 } };
  it('is found by its path', () => {
    expect(valueAt(vm, ['spec', 'disks', 1, 'name'])).toBe('b');
    expect(valueAt(vm, ['spec', 'none', 'name'])).toBeUndefined();
  });
  it('is set without touching others', () => {
    expect(withValue(vm, ['spec', 'cpu', 'cores'], 2)).toEqual({ spec: { ...vm.spec, cpu: { cores: 2 } } });
    expect(withValue(vm, ['spec', 'disks', 2], { name: 'c' })).toMatchObject({
      spec: { disks: [{}, {}, { name: 'c' }] },
    });
  });
  it('is removed', () => {
    expect(withValue(vm, ['spec', 'other'], undefined)).toEqual({ spec: { disks: vm.spec.disks } });
    expect(withValue(vm, ['spec', 'disks', 0], undefined)).toEqual({ spec: { disks: [{ name: 'b' }], other: 1 } });
    expect(withValue(vm, ['spec', 'cpu', 'cores'], undefined)).toEqual(vm);
  });
  it('is equal to another with the same contents, in whatever order', () => {
    expect(isEqual({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
    expect(isEqual({ a: undefined }, { b: 1 })).toBe(false);
    expect(isEqual([1], { 0: 1 })).toBe(false);
  });
});
