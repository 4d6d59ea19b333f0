import { expect, it } from 'vitest';
import type { GraphNode } from '../data/kinds.ts';
import { modelOf } from './graphModel.ts';
import { describe as described, namedBy, summaryOf } from './graphWords.ts';

const node = (kind: string, name: string, more: Partial<GraphNode> = {}): GraphNode => ({
  objectReference: { apiGroup: '', kind, name, namespace: 'shop' },
  ...more,
});

it('a graph in which all is there says so', () => {
  expect(summaryOf(modelOf(node('VirtualMachine', 'web', { children: [node('Secret', 'keys')] })))).toEqual({
    text: 'Needs 1 object, all there.',
    isBad: false,
  });
});

const model = modelOf(
  node('VirtualMachine', 'web', {
    children: [
      node('Secret', 'token', { status: 'missing', fieldPath: 'spec.a' }),
      node('Secret', 'keys', { status: 'forbidden' }),
      node('ConfigMap', 'extra', { status: 'missing', optional: true }),
    ],
  }),
);

it('what is missing, forbidden and optional is counted apart', () => {
  expect(summaryOf(model)).toEqual({
    text: 'Needs 3 objects: 1 is missing, 1 is not visible to you, 1 optional one is not there.',
    isBad: true,
  });
});

it('a forbidden object is never called missing', () => {
  const [, token, keys] = [...model.objects.values()];
  expect(token && described(token)).toBe('Secret token in shop: missing');
  expect(keys && described(keys)).toBe('Secret keys in shop: not visible to you: it may exist or not');
});

it('an object knows the fields that name it', () => {
  expect(namedBy(model, '/Secret/shop/token')).toMatchObject([{ by: { name: 'web' }, fieldPaths: ['spec.a'] }]);
});
