import type { Node } from '@vireo/api';
import type { SharedReport } from '@vireo/api/kinds/core/sharedDirectories.ts';
import { SHARED_REPORT } from '@vireo/api/kinds/core/volumeNames.ts';
import { describe, expect, it } from 'vitest';
import { sharedState, statusText } from './decide.ts';

const path = '/mnt/vms';
type Sign = Partial<Extract<SharedReport, { id: string }>>;

/** A node that has written `T-NAME` and reads what the named nodes have written. */
const node = (name: string, sees: string[], more: Sign | { problem: string } = {}): Node => {
  const report =
    'problem' in more
      ? { path, ...more }
      : {
          path,
          id: 'x1',
          token: `T-${name}`,
          sees: Object.fromEntries(sees.map((each) => [each, `T-${each}`])),
          unlocked: [],
          ...more,
        };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, annotations: { [SHARED_REPORT]: JSON.stringify({ nfs: report }) } },
  };
};
const silent: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'c' } };
const both = [node('a', ['b']), node('b', ['a'])];

describe('the directory of a class', () => {
  it.each<[string, Node[], string | undefined, string]>([
    ['is ready on one node by itself', [node('a', [])], undefined, 'ready on a'],
    ['is ready where all read what all write', both, 'x1', 'ready on a, b'],
    ['waits for a node that says nothing', [...both, silent], 'x1', 'ready on a, b; node c: it has not reported yet'],
    [
      'is not that of a node that cannot use it',
      [...both, node('c', [], { problem: `${path} is mounted read-only` })],
      'x1',
      `ready on a, b; node c: ${path} is mounted read-only`,
    ],
    [
      'is not another directory at the same path',
      [...both, node('c', [], { id: 'x2' })],
      undefined,
      `ready on a, b; node c: ${path} is another directory there than on node a: is it mounted?`,
    ],
    [
      'is not a copy of it, where nobody reads what others write',
      [...both, node('c', [])],
      'x1',
      `ready on a, b; node c: what node a writes to ${path} cannot be read there`,
    ],
    [
      'is checked both ways',
      [...both, node('c', ['a', 'b'])],
      'x1',
      `ready on a, b; node c: what it writes to ${path} cannot be read on node a`,
    ],
    [
      'needs locks that others notice',
      [node('a', ['b']), node('b', ['a'], { unlocked: ['a'] })],
      'x1',
      `ready on a; node b: file locks in ${path} do not reach from it to node a and back, so two guests could write to ` +
        'one disk: mount it with locks that the server keeps (NFS: without nolock and local_lock)',
    ],
    [
      'stays the one that it was',
      both,
      'x0',
      `not ready on any node; node a: ${path} is another directory than it was on any node before; ` +
        `node b: ${path} is another directory than it was on any node before`,
    ],
  ])('%s', (_, nodes, knownId, expected) => {
    expect(statusText(sharedState({ name: 'nfs', path }, knownId, nodes))).toBe(expected);
  });
});
