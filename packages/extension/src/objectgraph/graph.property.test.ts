import type { UnknownObject } from '@vireo/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookupOf, object } from '../testing/graphLookup.ts';
import { vmWith } from '../testing/vms.ts';
import { filterGraph } from './filter.ts';
import { type GraphNode, graphOfVm, nodeKey } from './graph.ts';
import { kindKey } from './kinds.ts';
import { readGraphOptions } from './options.ts';
import { flatNodes, render } from './render.ts';

/** Few names: objects are shared, and sources run in circles. */
const name = fc.constantFrom('a', 'b', 'c', 'd');
const volume = fc.oneof(
  name.map((of) => ({ dataVolume: { name: of } })),
  name.map((of) => ({ persistentVolumeClaim: { claimName: of } })),
  fc.record({ of: name, optional: fc.boolean() }).map(({ of, optional }) => ({ secret: { secretName: of, optional } })),
  name.map((of) => ({ configMap: { name: of } })),
);
const vms = fc.array(volume, { maxLength: 8 }).map((volumes) =>
  vmWith({
    template: {
      spec: { domain: { devices: {} }, volumes: volumes.map((each, i) => ({ name: `v${i}`, ...each })) },
    },
  }),
);

/** Names that no VM says: whoever sees them has read another object. */
const hidden = fc.constantFrom('hidden-1', 'hidden-2');
const source = fc.oneof(name, hidden);
const dataSource = (of: string) =>
  source.map((next) =>
    object('cdi.kubevirt.io/v1beta1 DataSource', of, {
      spec: { source: { dataSource: { name: next, namespace: 'default' } } },
    }),
  );
const dataVolume = (of: string) =>
  source.map((next) =>
    object('cdi.kubevirt.io/v1beta1 DataVolume', of, { spec: { sourceRef: { kind: 'DataSource', name: next } } }),
  );
const claim = (of: string) =>
  fc.record({ next: source, storageClassName: hidden }).map(({ next, storageClassName }) =>
    object('v1 PersistentVolumeClaim', of, {
      spec: { storageClassName, dataSourceRef: { apiGroup: '', kind: 'PersistentVolumeClaim', name: next } },
    }),
  );
const clusters: fc.Arbitrary<readonly UnknownObject[]> = fc
  .tuple(...['a', 'b', 'c', 'd', 'hidden-1', 'hidden-2'].flatMap((of) => [dataSource(of), dataVolume(of), claim(of)]))
  .chain((all) => fc.subarray([...all]));

const everyNode = (node: GraphNode): GraphNode[] => [node, ...node.children.flatMap(everyNode)];

describe('whatever the VM and the objects', () => {
  it('circles end, and no object is below itself more than once', async () => {
    await fc.assert(
      fc.asyncProperty(vms, clusters, async (vm, cluster) => {
        const check = (node: GraphNode, above: readonly string[]): void => {
          const key = nodeKey(node);
          const before = above.filter((each) => each === key).length;
          expect(before).toBeLessThanOrEqual(1);
          if (before === 1) expect(node.children).toEqual([]);
          for (const child of node.children) check(child, [...above, key]);
        };
        check(await graphOfVm(vm, undefined, lookupOf(cluster)), []);
      }),
    );
  });

  it('the flat form has every object of the tree, and each once', async () => {
    await fc.assert(
      fc.asyncProperty(vms, clusters, async (vm, cluster) => {
        const graph = await graphOfVm(vm, undefined, lookupOf(cluster));
        const flat = flatNodes(graph).map(nodeKey);
        expect(flat.length).toBe(new Set(flat).size);
        expect(new Set(flat)).toEqual(new Set(everyNode(graph).slice(1).map(nodeKey)));
      }),
    );
  });

  it('without rights no name is there that the VM does not say', async () => {
    await fc.assert(
      fc.asyncProperty(vms, clusters, async (vm, cluster) => {
        const forbidden = new Set(everyKind(cluster));
        const graph = await graphOfVm(vm, undefined, lookupOf(cluster, forbidden));
        const names = new Set(
          JSON.stringify(vm)
            .match(/"[^"]*"/g)
            ?.map((text) => text.slice(1, -1)),
        );
        for (const node of everyNode(graph).slice(1)) {
          expect(names).toContain(node.name);
          expect(node.object).toBeUndefined();
          if (forbidden.has(kindKey(node.kind))) expect(node.status).toBe('forbidden');
        }
        expect(JSON.stringify(render(graph, 'tree'))).not.toContain('hidden');
      }),
    );
  });

  it('a filter adds nothing, and optional objects go where they are not wanted', async () => {
    await fc.assert(
      fc.asyncProperty(vms, clusters, fc.nat({ max: 4 }), async (vm, cluster, depth) => {
        const graph = await graphOfVm(vm, undefined, lookupOf(cluster));
        const options = readGraphOptions({ includeOptionalNodes: false }, new URLSearchParams({ depth: `${depth}` }));
        const filtered = filterGraph(graph, options);
        const all = new Set(everyNode(graph).map(nodeKey));
        for (const node of everyNode(filtered)) {
          expect(all).toContain(nodeKey(node));
          expect(node.isOptional).toBe(false);
        }
        expect(levels(filtered)).toBeLessThanOrEqual(depth);
      }),
    );
  });
});

const everyKind = (cluster: readonly UnknownObject[]): string[] => [
  ...cluster.map(({ apiVersion = '', kind = '' }) =>
    kindKey({ group: apiVersion.split('/').slice(0, -1).join(), kind }),
  ),
  '/Secret',
  '/ConfigMap',
];

const levels = ({ children }: GraphNode): number => Math.max(0, ...children.map((child) => 1 + levels(child)));
