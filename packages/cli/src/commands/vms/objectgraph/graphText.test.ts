import type { ObjectGraphNode } from '@vireo/api/kinds/kubevirt/objectGraph.ts';
import { describe, expect, it } from 'vitest';
import { graphDot, graphMermaid } from './drawings.ts';
import { graphTable, graphTree, type Paint } from './graphText.ts';

const node = (kind: string, name: string, rest: Partial<ObjectGraphNode> = {}, namespace = 'default') => ({
  objectReference: { apiGroup: '', kind, name, namespace },
  labels: { 'kubevirt.io/dependency-type': 'config' },
  status: 'present' as const,
  ...rest,
});
const graph = node('VirtualMachine', 'web', {
  children: [
    node('DataVolume', 'disk', {
      fieldPath: 'spec.volumes[0]',
      children: [node('StorageClass', 'fast', {}, ''), node('Secret', 'keys', { optional: true })],
    }),
    node('Secret', 'keys'),
    node('NetworkAttachmentDefinition', 'red', { optional: true, status: 'missing' }, 'infra'),
    node('Secret', 'a"b\u001b[2J', { status: 'forbidden' }),
  ],
});
const marked: Paint = (mark, text) => `<${mark}>${text}`;

describe('a graph for people', () => {
  it('is a tree that marks what is not there', () => {
    expect(graphTree(graph, marked)).toBe(`VirtualMachine web
├── DataVolume disk
│   ├── StorageClass fast
│   └── <optional>Secret keys (optional)
├── Secret keys
├── <missing>NetworkAttachmentDefinition infra/red (optional, missing)
└── <forbidden>Secret "a\\"b\\u001b[2J" (forbidden)
`);
  });

  it('is a table with every object once', () => {
    expect(
      graphTable(graph),
    ).toBe(`KIND                          NAMESPACE   NAME              TYPE     STATUS      NEED       FIELD
DataVolume                    default     disk              config   present     needed     spec.volumes[0]
StorageClass                  -           fast              config   present     needed     -
Secret                        default     keys              config   present     needed     -
NetworkAttachmentDefinition   infra       red               config   missing     optional   -
Secret                        default     "a\\"b\\u001b[2J"   config   forbidden   needed     -
`);
  });

  it('is a picture for Graphviz', () => {
    expect(graphDot(graph)).toBe(`digraph objects {
  rankdir=LR;
  node [shape=box];
  n0 [label="VirtualMachine\\nweb"];
  n1 [label="DataVolume\\ndisk"];
  n2 [label="StorageClass\\nfast"];
  n3 [label="Secret\\nkeys"];
  n4 [label="NetworkAttachmentDefinition\\nred", color=red];
  n5 [label="Secret\\na\\"b?[2J", color=red];
  n1 -> n2;
  n1 -> n3 [style=dashed];
  n0 -> n1;
  n0 -> n3;
  n0 -> n4 [style=dashed];
  n0 -> n5;
}
`);
  });

  it('is a picture for Mermaid', () => {
    expect(graphMermaid(graph)).toBe(`flowchart LR
  n0["VirtualMachine<br>web"]
  n1["DataVolume<br>disk"]
  n2["StorageClass<br>fast"]
  n3["Secret<br>keys"]
  n4["NetworkAttachmentDefinition<br>red"]
  n5["Secret<br>a#34;b#27;#91;2J"]
  n1 --> n2
  n1 -.-> n3
  n0 --> n1
  n0 --> n3
  n0 -.-> n4
  n0 --> n5
  classDef absent stroke:#d00
  class n4,n5 absent
`);
  });
});

describe('a graph that was cut off', () => {
  const cut = node('VirtualMachine', 'web', { children: [node('PersistentVolumeClaim', 'c32', { truncated: true })] });

  it.each([
    ['tree', graphTree(cut, marked), '└── <forbidden>PersistentVolumeClaim c32 (more levels are omitted)\n'],
    ['table', graphTable(cut), 'c32    config   truncated   needed   -\n'],
    ['picture for Graphviz', graphDot(cut), '[label="PersistentVolumeClaim\\nc32\\n(more levels are omitted)"]'],
    ['picture for Mermaid', graphMermaid(cut), 'PersistentVolumeClaim<br>c32<br>#40;more levels are omitted#41;'],
  ])('says so as a %s', (_, text, expected) => {
    expect(text).toContain(expected);
  });
});
