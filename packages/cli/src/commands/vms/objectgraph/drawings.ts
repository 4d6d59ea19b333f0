import type { ObjectGraphNode } from '@vireo/api/kinds/kubevirt/objectGraph.ts';
import { referenceKey } from './graphText.ts';

interface Drawn {
  readonly id: string;
  readonly node: ObjectGraphNode;
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly isOptional: boolean;
}

/** A picture for Graphviz: what is missing in red, what is optional dashed. */
export function graphDot(root: ObjectGraphNode): string {
  const { nodes, arrows } = drawing(root);
  return [
    'digraph objects {',
    '  rankdir=LR;',
    '  node [shape=box];',
    ...nodes.map(
      ({ id, node }) => `  ${id} [label=${dotText(...labelOf(node))}${isThere(node) ? '' : ', color=red'}];`,
    ),
    ...arrows.map(({ from, to, isOptional }) => `  ${from} -> ${to}${isOptional ? ' [style=dashed]' : ''};`),
    '}',
    '',
  ].join('\n');
}

/** The same for Mermaid, which Markdown pages show. */
export function graphMermaid(root: ObjectGraphNode): string {
  const { nodes, arrows } = drawing(root);
  const absent = nodes.filter(({ node }) => !isThere(node)).map(({ id }) => id);
  return [
    'flowchart LR',
    ...nodes.map(({ id, node }) => `  ${id}["${labelOf(node).map(mermaidText).join('<br>')}"]`),
    ...arrows.map(({ from, to, isOptional }) => `  ${from} ${isOptional ? '-.->' : '-->'} ${to}`),
    ...(absent.length > 0 ? ['  classDef absent stroke:#d00', `  class ${absent.join(',')} absent`] : []),
    '',
  ].join('\n');
}

/** Every object once, and an arrow to each that it needs. */
function drawing(root: ObjectGraphNode): { nodes: readonly Drawn[]; arrows: readonly Arrow[] } {
  const nodes = new Map<string, Drawn>();
  const arrows = new Map<string, Arrow>();
  const visit = (node: ObjectGraphNode): string => {
    const key = referenceKey(node);
    const { id } = nodes.get(key) ?? { id: `n${nodes.size}` };
    if (!nodes.has(key)) nodes.set(key, { id, node });
    for (const child of node.children ?? []) {
      const to = visit(child);
      const before = arrows.get(`${id} ${to}`);
      const isOptional = child.optional === true && (before?.isOptional ?? true);
      arrows.set(`${id} ${to}`, { from: id, to, isOptional });
    }
    return id;
  };
  visit(root);
  return { nodes: [...nodes.values()], arrows: [...arrows.values()] };
}

const isThere = ({ status = 'present' }: ObjectGraphNode): boolean => status === 'present';

const labelOf = ({ objectReference: { kind, name }, truncated }: ObjectGraphNode): readonly string[] => [
  kind,
  name,
  ...(truncated ? ['(more levels are omitted)'] : []),
];

const dotText = (...lines: readonly string[]): string =>
  `"${lines.map((line) => line.replaceAll(/["\\]/g, '\\$&').replaceAll(/\p{Cc}/gu, '?')).join('\\n')}"`;

/** Mermaid has no escapes but those of its own: `#35;` and the like. */
const mermaidText = (text: string): string =>
  text.replaceAll(/[^\w.\-/: ]/gu, (character) => `#${character.codePointAt(0)};`);
