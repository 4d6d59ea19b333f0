import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { GraphLine } from '../../decisions/graph.ts';
import { type TreeItem, treeMove, visibleItems } from '../../decisions/graphTree.ts';
import { FORBIDDEN_ICON, kindIcon, MISSING_ICON } from './icons.tsx';

interface Props {
  readonly lines: readonly GraphLine[];
  readonly label: string;
  readonly onOpen: (line: GraphLine) => void;
}

/** The graph as a tree for keyboards and screen readers: arrow keys walk, open and close, Enter shows details. */
export function Tree({ lines, label, onOpen }: Props) {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState('0');
  const tree = useRef<HTMLDivElement>(null);
  const items = useMemo(() => visibleItems(lines, collapsed), [lines, collapsed]);
  const tabStop = items.some(({ key }) => key === focused) ? focused : '0';

  const toggle = (key: string): void =>
    setCollapsed((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const onKey = (event: KeyboardEvent, item: TreeItem): void => {
    if (event.key === 'Enter' || event.key === ' ') onOpen(item);
    else {
      const move = treeMove(items, item.key, event.key);
      if (!move) return;
      if ('focus' in move) tree.current?.querySelector<HTMLElement>(`[data-key="${move.focus}"]`)?.focus();
      else toggle('expand' in move ? move.expand : move.collapse);
    }
    event.preventDefault();
  };

  return (
    <div className="tree" role="tree" aria-label={label} ref={tree}>
      {items.map((item) => (
        <div
          key={item.key}
          role="treeitem"
          className={`tree-item tree-${item.status}`}
          style={{ marginInlineStart: item.depth * 24 }}
          aria-level={item.depth + 1}
          aria-expanded={item.isExpanded}
          aria-selected={false}
          tabIndex={item.key === tabStop ? 0 : -1}
          data-key={item.key}
          title={item.fieldPath}
          onFocus={() => setFocused(item.key)}
          onKeyDown={(event) => onKey(event, item)}
          onClick={() => onOpen(item)}
        >
          <Twisty item={item} onToggle={() => toggle(item.key)} />
          <Line item={item} />
        </div>
      ))}
    </div>
  );
}

/** For the mouse only: the tree item itself says that it can be opened. */
function Twisty({ item, onToggle }: { readonly item: TreeItem; readonly onToggle: () => void }) {
  return (
    <span
      className="tree-twisty"
      aria-hidden="true"
      onClick={(event) => {
        if (item.isExpanded === undefined) return;
        event.stopPropagation();
        onToggle();
      }}
    >
      {item.isExpanded === undefined ? '' : item.isExpanded ? '▾' : '▸'}
    </span>
  );
}

const STATUS_WORDS = { present: undefined, missing: 'missing', forbidden: 'not visible to you' } as const;

function Line({ item }: { readonly item: TreeItem }) {
  const { kind, name, status, isOptional, isTruncated, fieldPath } = item;
  const sign = status === 'missing' ? MISSING_ICON : status === 'forbidden' ? FORBIDDEN_ICON : kindIcon(kind);
  return (
    <>
      <svg className="tree-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        {sign}
      </svg>
      <span className="tree-kind">{kind}</span> <strong>{name}</strong>
      {STATUS_WORDS[status] && <span className="tree-word">{STATUS_WORDS[status]}</span>}
      {isOptional && <span className="muted">optional</span>}
      {isTruncated && <span className="muted">has more below</span>}
      {fieldPath && <code className="tree-path">{fieldPath}</code>}
    </>
  );
}
