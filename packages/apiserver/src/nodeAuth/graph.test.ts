import type { PersistentVolume, Pod } from '@vireo/api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NodeGraph } from './graph.ts';

const NAMES = ['a', 'b', 'c'];
const name = fc.constantFrom(...NAMES);
const maybe = fc.option(name, { nil: undefined });

type Change =
  | { kind: 'pod'; name: string; uid: string; node?: string; secret?: string; claim?: string }
  | { kind: 'volume'; name: string; claim?: string; secret?: string }
  | { kind: 'no pod' | 'no volume'; name: string };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('pod' as const), name, uid: fc.uuid(), node: maybe, secret: maybe, claim: maybe }),
  fc.record({ kind: fc.constant('volume' as const), name, claim: maybe, secret: maybe }),
  fc.record({ kind: fc.constantFrom('no pod' as const, 'no volume' as const), name }),
);

const podOf = ({ name, uid, node, secret, claim }: Change & { kind: 'pod' }): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'n', uid },
  spec: {
    containers: [],
    nodeName: node,
    volumes: [
      ...(secret ? [{ name: 's', secret: { secretName: secret } }] : []),
      ...(claim ? [{ name: 'c', persistentVolumeClaim: { claimName: claim } }] : []),
    ],
  },
});

const volumeOf = ({ name, claim, secret }: Change & { kind: 'volume' }): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    ...(claim && { claimRef: { namespace: 'n', name: claim } }),
    ...(secret && { csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { namespace: 'n', name: secret } } }),
  },
});

/** What a scan over everything would find. */
function scan(pods: Iterable<Change & { kind: 'pod' }>, volumes: Iterable<Change & { kind: 'volume' }>) {
  const [on, all] = [[...pods], [...volumes]];
  const mounts = (node: string, claim?: string) =>
    claim !== undefined && on.some((pod) => pod.node === node && pod.claim === claim);
  return {
    claim: mounts,
    volume: (node: string, name: string) => all.some((each) => each.name === name && mounts(node, each.claim)),
    secret: (node: string, name: string) =>
      on.some((pod) => pod.node === node && pod.secret === name) ||
      all.some((each) => each.secret === name && mounts(node, each.claim)),
  };
}

it('the index knows what a scan would find, after any changes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
      const graph = new NodeGraph();
      const pods = new Map<string, Change & { kind: 'pod' }>();
      const volumes = new Map<string, Change & { kind: 'volume' }>();
      for (const each of changes) {
        if (each.kind === 'pod') {
          graph.setPod(podOf(each));
          pods.set(each.name, each);
        } else if (each.kind === 'volume') {
          graph.setVolume(volumeOf(each));
          volumes.set(each.name, each);
        } else if (each.kind === 'no pod') {
          graph.deletePod({ apiVersion: 'v1', kind: 'Pod', metadata: { name: each.name, namespace: 'n' } });
          pods.delete(each.name);
        } else {
          graph.deleteVolume(each.name);
          volumes.delete(each.name);
        }
      }
      const found = scan(pods.values(), volumes.values());
      for (const node of NAMES)
        for (const object of NAMES) {
          const leadsTo = (resource: Parameters<NodeGraph['leadsTo']>[1], namespace = 'n') =>
            graph.leadsTo(node, resource, namespace, object);
          expect(leadsTo('secrets')).toBe(found.secret(node, object));
          expect(leadsTo('persistentvolumeclaims')).toBe(found.claim(node, object));
          expect(leadsTo('persistentvolumes', '')).toBe(found.volume(node, object));
          expect(leadsTo('secrets', 'another')).toBe(false);
        }
    }),
    { numRuns: 200 },
  );
});

it('leads from a mirror pod to itself alone', () => {
  const graph = new NodeGraph();
  const pod = podOf({ kind: 'pod', name: 'a', uid: '1', node: 'n1', secret: 'b' });
  graph.setPod({ ...pod, metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.mirror': 'x' } } });
  expect(graph.leadsTo('n1', 'pods', 'n', 'a')).toBe(true);
  expect(graph.leadsTo('n1', 'secrets', 'n', 'b')).toBe(false);
});
