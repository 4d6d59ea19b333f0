import { describe, expect, it } from 'vitest';
import { placeOf, readYaml, updateYaml } from './text.ts';

const TEXT = `# my machine
kind: VirtualMachine
spec:
  cpu: 1 # enough
  disks:
    - name: root
      bus: virtio
`;

describe('reading', () => {
  it('several documents are read, and empty ones left out', () => {
    expect(readYaml('a: 1\n---\n---\nb: 2\n').documents).toEqual([{ a: 1 }, { b: 2 }]);
  });
  it('a broken text says the line', () => {
    expect(readYaml('a: 1\nb: [1\nc: 2\n').broken).toMatchObject({ line: expect.any(Number) });
    expect(readYaml('a: 1\n\tb: 2\n').broken?.line).toBe(2);
  });
  it('aliases that grow without end are refused', () => {
    const bomb = [
      'a: &a [x, x]',
      ...'bcdefgh'.split('').map((n, i) => `${n}: &${n} [${`*${'abcdefgh'[i]},`.repeat(9)}]`),
    ];
    expect(readYaml(bomb.join('\n')).broken?.message).toContain('alias');
  });
});

describe('the place of a field', () => {
  const at = (path: (string | number)[]): string => {
    const { from, to, line } = placeOf(TEXT, path);
    return `${line}: ${TEXT.slice(from, to)}`;
  };
  it('is its key', () => expect(at(['spec', 'disks', 0, 'bus'])).toBe('7: bus'));
  it('of an item is its first line', () => expect(at(['spec', 'disks', 0])).toBe('6: name: root'));
  it('that is not there is that of the field around it', () => expect(at(['spec', 'memory', 'guest'])).toBe('3: spec'));
  it('is found in further documents', () => expect(placeOf(`a: 1\n---\nb: 2\n`, ['b'], 1).line).toBe(3));
});

describe('an update', () => {
  const old = { kind: 'VirtualMachine', spec: { cpu: 1, disks: [{ name: 'root', bus: 'virtio' }] } };
  it('that changes nothing leaves the text', () => expect(updateYaml(TEXT, [old])).toBe(TEXT));
  it('keeps comments and order', () => {
    const text = updateYaml(TEXT, [{ ...old, spec: { ...old.spec, cpu: 2, memory: '1Gi' } }]);
    expect(text).toBe(TEXT.replace('cpu: 1', 'cpu: 2').replace('bus: virtio\n', 'bus: virtio\n  memory: 1Gi\n'));
  });
  it('removes fields, and adds items and documents', () => {
    const text = updateYaml(TEXT, [
      { kind: 'VirtualMachine', spec: { disks: [old.spec.disks[0], { name: 'b' }] } },
      { c: 1 },
    ]);
    expect(readYaml(text).documents).toEqual([
      { kind: 'VirtualMachine', spec: { disks: [{ name: 'root', bus: 'virtio' }, { name: 'b' }] } },
      { c: 1 },
    ]);
    expect(text).toContain('# my machine');
  });
  it('replaces a value of another type', () => {
    expect(readYaml(updateYaml('a: 1\nb: {}\n', [{ a: { c: [1] }, b: { d: 1 } }])).documents).toEqual([
      { a: { c: [1] }, b: { d: 1 } },
    ]);
  });
  it('of several lines stays readable', () => {
    expect(updateYaml('a: x\n', [{ a: 'one\ntwo\n' }])).toBe('a: |\n  one\n  two\n');
  });
});
