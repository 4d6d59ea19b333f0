import { styleText } from 'node:util';
import { distinctNodes, type ObjectGraphNode } from '@vireo/api/kinds/kubevirt/objectGraph.ts';

/** Puts a mark on text; the default colours it where the terminal takes colours. */
export type Paint = (mark: 'missing' | 'forbidden' | 'optional', text: string) => string;

const COLOURS = { missing: 'red', forbidden: 'yellow', optional: 'gray' } as const;
const coloured: Paint = (mark, text) => styleText(COLOURS[mark], text, { stream: process.stdout });

/** The graph as a tree, a line an object; what is missing stands out. */
export function graphTree(root: ObjectGraphNode, paint: Paint = coloured): string {
  const home = root.objectReference.namespace ?? '';
  const lines = (nodes: readonly ObjectGraphNode[], indent: string): string[] =>
    nodes.flatMap((node, i) => {
      const isLast = i === nodes.length - 1;
      return [
        `${indent}${isLast ? '└── ' : '├── '}${described(node, home, paint)}`,
        ...lines(node.children ?? [], `${indent}${isLast ? '    ' : '│   '}`),
      ];
    });
  return `${[described(root, home, paint), ...lines(root.children ?? [], '')].join('\n')}\n`;
}

function described(node: ObjectGraphNode, home: string, paint: Paint): string {
  const { kind, name, namespace } = node.objectReference;
  const where = namespace && namespace !== home ? `${printable(namespace)}/` : '';
  const text = `${kind} ${where}${printable(name)}`;
  const { status, optional, truncated } = node;
  const isAbsent = status === 'missing' || status === 'forbidden';
  const words = [optional && 'optional', isAbsent && status, truncated && 'more levels are omitted'].filter(Boolean);
  const line = words.length > 0 ? `${text} (${words.join(', ')})` : text;
  if (isAbsent || truncated) return paint(isAbsent ? status : 'forbidden', line);
  return optional ? paint('optional', line) : line;
}

/** Every object once, as a table. */
export function graphTable(root: ObjectGraphNode): string {
  const rows = distinctNodes(root, referenceKey, merge).map(
    ({ objectReference: { kind, name, namespace }, labels, status, optional, truncated, fieldPath }) => [
      kind,
      namespace || '-',
      printable(name),
      labels?.['kubevirt.io/dependency-type'] ?? '-',
      status === 'present' && truncated ? 'truncated' : (status ?? '-'),
      optional ? 'optional' : 'needed',
      fieldPath ?? '-',
    ],
  );
  const table = [['KIND', 'NAMESPACE', 'NAME', 'TYPE', 'STATUS', 'NEED', 'FIELD'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('   ')
      .trimEnd();
  return `${table.map(line).join('\n')}\n`;
}

export const referenceKey = ({ objectReference }: ObjectGraphNode): string => {
  const { apiGroup = '', kind, name, namespace = '' } = objectReference;
  return JSON.stringify([apiGroup, kind, namespace, name]);
};

/** Optional only where nothing needs it for certain, truncated only where nothing shows the rest. */
const merge = (first: ObjectGraphNode, again: ObjectGraphNode): ObjectGraphNode => ({
  ...first,
  optional: first.optional && again.optional,
  truncated: first.truncated && again.truncated,
});

/** Names are as users wrote them; none may steer the terminal. */
const printable = (name: string): string => (/[\p{Cc}\p{Cf}]/u.test(name) ? JSON.stringify(name) : name);
