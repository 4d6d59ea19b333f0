import { int32, list, map, opt, recursive, type Schema, string, struct } from '@vireo/api/schema.ts';
import { expect, it } from 'vitest';
import { formatPath, stringPaths, textsOf, withAt } from './paths.ts';

const Node: Schema = struct('node', 'A node of a tree.', {
  name: opt(1, string),
  children: opt(2, list(recursive(() => Node))),
});
const Sample: Schema = struct('sample', 'One of everything.', {
  name: opt(1, string),
  count: opt(2, int32),
  labels: opt(3, map(string)),
  disks: opt(4, list(struct('disk', 'A disk.', { bus: opt(1, string) }))),
  tree: opt(5, Node),
});

it('finds every text of a schema, and ends where one holds itself', () => {
  expect(stringPaths(Sample).map(formatPath).slice(0, 4)).toEqual(['name', 'labels.key', 'disks[0].bus', 'tree.name']);
});

it('finds every text of an object', () => {
  const object = { name: 'x', count: 1, disks: [{ bus: 'sata' }, { bus: 'scsi' }], none: null };
  expect(textsOf(object).map(formatPath)).toEqual(['name', 'disks[0].bus', 'disks[1].bus']);
});

it('puts something at a place, and leaves the original alone', () => {
  const object = { disks: [{ bus: 'sata', name: 'a' }] };
  expect(withAt(object, ['disks', 0, 'bus'], 'x')).toEqual({ disks: [{ bus: 'x', name: 'a' }] });
  expect(withAt(object, ['labels', 'key'], 'x')).toEqual({ ...object, labels: { key: 'x' } });
  expect(withAt(object, ['nics', 0, 'mac'], 'x')).toEqual({ ...object, nics: [{ mac: 'x' }] });
  expect(object).toEqual({ disks: [{ bus: 'sata', name: 'a' }] });
});
