import { readFile } from 'node:fs/promises';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import type { ResourceRef } from '@vireo/kube';
import { expect, it } from 'vitest';
import { GRAPH_KINDS } from './kinds.ts';

const PAGE = new URL('../../../../docs/objectgraph.md', import.meta.url);

const nameOf = ({ group, plural }: ResourceRef): string => `${plural}.${group}`;

it('the page names exactly the kinds around VMs that are in no graph', async () => {
  const page = await readFile(PAGE, 'utf8');
  const table = page.split('are in no graph:')[1]?.split('\n\n')[1] ?? '';
  const named = [...table.matchAll(/`([a-z]+\.[a-z0-9.]+)`/g)].map(([, name]) => name);
  const inGraph = new Set(GRAPH_KINDS.map(nameOf));
  const left = new Set(kubevirtKinds.map(nameOf).filter((name) => !inGraph.has(name)));
  expect(named.toSorted()).toEqual([...left].sort());
});
