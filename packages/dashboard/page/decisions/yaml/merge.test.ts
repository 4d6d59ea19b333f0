import { describe, expect, it } from 'vitest';
import { mergeThreeWay } from './merge.ts';

describe('a merge', () => {
  const base = { cpu: 1, memory: '1Gi', labels: { a: '1' }, disks: [{ name: 'root', bus: 'virtio' }] };
  it('has what either side changed', () => {
    const mine = { ...base, cpu: 2 };
    const theirs = { ...base, memory: '2Gi', labels: { a: '1', b: '2' } };
    expect(mergeThreeWay(base, mine, theirs)).toEqual({
      value: { ...base, cpu: 2, memory: '2Gi', labels: { a: '1', b: '2' } },
      clashes: [],
    });
  });
  it('removes what one side removed and the other left', () => {
    const { cpu: _, ...without } = base;
    expect(mergeThreeWay(base, without, { ...base, memory: '2Gi' }).value).toEqual({ ...without, memory: '2Gi' });
    expect(mergeThreeWay(base, { ...base, memory: '2Gi' }, without).value).toEqual({ ...without, memory: '2Gi' });
  });
  it('keeps mine where both changed the same, and tells', () => {
    expect(mergeThreeWay(base, { ...base, cpu: 2 }, { ...base, cpu: 4 })).toEqual({
      value: { ...base, cpu: 2 },
      clashes: [{ path: ['cpu'], mine: 2, theirs: 4 }],
    });
  });
  it('the same change of both is no clash', () => {
    expect(mergeThreeWay(base, { ...base, cpu: 4 }, { ...base, cpu: 4 }).clashes).toEqual([]);
  });
  it('merges named items, and adds those of both', () => {
    const mine = { ...base, disks: [{ name: 'root', bus: 'sata' }, { name: 'mine' }] };
    const theirs = { ...base, disks: [{ name: 'theirs' }, { name: 'root', bus: 'virtio', order: 1 }] };
    expect(mergeThreeWay(base, mine, theirs)).toEqual({
      value: { ...base, disks: [{ name: 'root', bus: 'sata', order: 1 }, { name: 'mine' }, { name: 'theirs' }] },
      clashes: [],
    });
  });
  it('an item that one side removed and the other changed is a clash', () => {
    const { clashes } = mergeThreeWay(
      base,
      { ...base, disks: [] },
      { ...base, disks: [{ name: 'root', bus: 'sata' }] },
    );
    expect(clashes).toEqual([{ path: ['disks', 0], mine: undefined, theirs: { name: 'root', bus: 'sata' } }]);
  });
  it('lists without names are one value', () => {
    expect(mergeThreeWay({ l: [1] }, { l: [1, 2] }, { l: [1, 3] }).clashes).toHaveLength(1);
  });
});
