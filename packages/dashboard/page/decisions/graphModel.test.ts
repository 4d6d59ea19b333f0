import { expect, it } from 'vitest';
import type { GraphNode } from '../data/kinds.ts';
import { foldKinds } from './graphFold.ts';
import { isProblem, modelOf, onlyProblems, pathTo } from './graphModel.ts';

const node = (kind: string, name: string, more: Partial<GraphNode> = {}): GraphNode => ({
  objectReference: { apiGroup: '', kind, name, namespace: 'default' },
  ...more,
});
const key = (kind: string, name: string): string => `/${kind}/default/${name}`;
const storage = { 'kubevirt.io/dependency-type': 'storage' };
const root = node('VirtualMachine', 'web', {
  children: [
    node('DataVolume', 'root', {
      labels: storage,
      children: [node('PersistentVolumeClaim', 'root', { labels: storage })],
    }),
    node('PersistentVolumeClaim', 'root', { optional: true, fieldPath: 'spec.a' }),
    node('Secret', 'keys', { status: 'missing', fieldPath: 'spec.b' }),
    node('Secret', 'keys', { status: 'missing', fieldPath: 'spec.c', optional: true }),
    node('Secret', 'hidden', { status: 'forbidden', optional: true }),
    node('ConfigMap', 'extra', { status: 'missing', optional: true }),
  ],
});
const model = modelOf(root);

it('each object is there once, and needed if anything needs it', () => {
  expect([...model.objects.keys()]).toEqual([
    key('VirtualMachine', 'web'),
    key('DataVolume', 'root'),
    key('PersistentVolumeClaim', 'root'),
    key('Secret', 'keys'),
    key('Secret', 'hidden'),
    key('ConfigMap', 'extra'),
  ]);
  expect(model.objects.get(key('PersistentVolumeClaim', 'root'))).toMatchObject({ isOptional: false, type: 'storage' });
  expect(model.links.find(({ to }) => to === key('Secret', 'keys'))).toMatchObject({
    fieldPaths: ['spec.b', 'spec.c'],
    isOptional: false,
  });
});

it('the path to an object has every way there', () => {
  expect([...pathTo(model, key('PersistentVolumeClaim', 'root'))].sort()).toEqual([
    key('DataVolume', 'root'),
    key('PersistentVolumeClaim', 'root'),
    key('VirtualMachine', 'web'),
  ]);
});

it('problems are what is missing and needed, and what is forbidden', () => {
  expect([...model.objects.values()].filter(isProblem).map(({ name }) => name)).toEqual(['keys', 'hidden']);
  expect([...onlyProblems(model).objects.values()].map(({ name }) => name)).toEqual(['web', 'keys', 'hidden']);
});

it('an object that leads back to itself is no endless path', () => {
  const round = node('A', 'a', { children: [node('B', 'b', { children: [node('A', 'a')] })] });
  expect(pathTo(modelOf(round), key('B', 'b')).size).toBe(2);
});

const many = modelOf(
  node('VirtualMachine', 'web', {
    children: [
      ...Array.from({ length: 70 }, (_, i) => node('Secret', `s${i}`, i === 0 ? { status: 'missing' } : {})),
      node('ConfigMap', 'a', { children: [node('Secret', 's3')] }),
      node('ConfigMap', 'b'),
    ],
  }),
);

it('a kind with very many objects folds, but for those that are missing', () => {
  const folded = foldKinds(many, new Set());
  expect([...folded.objects.values()].map(({ name, count }) => [name, count])).toEqual([
    ['web', 1],
    ['s0', 1],
    ['69 objects', 69],
    ['a', 1],
    ['b', 1],
  ]);
  expect(folded.links).toHaveLength(5);
});

it('a kind that was opened stays open, and a small graph is not folded', () => {
  expect(foldKinds(many, new Set(['fold /Secret present'])).objects.size).toBe(many.objects.size);
  expect(foldKinds(model, new Set())).toBe(model);
});
