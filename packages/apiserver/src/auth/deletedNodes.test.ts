import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { isOfDeletedNode } from './deletedNodes.ts';

const deletedAt = '2026-01-01T12:00:00Z';
const lookup = {
  configMap: (namespace: string, name: string) =>
    namespace === 'kube-system' && name === 'deleted-node.a'
      ? persisted({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, creationTimestamp: deletedAt } })
      : undefined,
};

it.each([
  ['system:node:a', '2026-01-01T11:59:59Z', true],
  ['vireo:node:a', '2025-06-01T00:00:00Z', true],
  ['system:node:a', '2026-01-01T12:00:00Z', false],
  ['vireo:node:a', '2026-01-02T00:00:00Z', false],
  ['system:node:b', '2025-06-01T00:00:00Z', false],
  ['vireo:extension:a', '2025-06-01T00:00:00Z', false],
  ['a', '2025-06-01T00:00:00Z', false],
])(
  `a certificate of %s, issued at %s, after node a was deleted at ${deletedAt}: refused %s`,
  (user, issued, expected) => {
    expect(isOfDeletedNode(user, Date.parse(issued), lookup)).toBe(expected);
  },
);
