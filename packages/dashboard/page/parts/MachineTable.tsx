import { type Dispatch, type SetStateAction, useCallback, useMemo, useRef, useState } from 'react';
import type { Action } from '../decisions/actions.ts';
import type { Machine } from '../decisions/machine.ts';
import type { Column, Order } from '../decisions/sorting.ts';
import { MachineRow } from './MachineRow.tsx';
import { RowMenu } from './RowMenu.tsx';
import { useKey } from './useKey.ts';
import { useNarrow } from './useNarrow.ts';
import { usePreferences } from './usePreferences.ts';
import { useVirtualRows } from './useVirtualRows.ts';

interface Props {
  readonly machines: readonly Machine[];
  /** Whether more machines may come that were there before. */
  readonly isListing: boolean;
  readonly isStale: boolean;
  readonly withNamespace: boolean;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: Dispatch<SetStateAction<ReadonlySet<string>>>;
  readonly askedOf: (machine: Machine) => string | undefined;
  readonly onOpen: (machine: Machine) => void;
  readonly onAction: (action: Action, machines: readonly Machine[]) => void;
}

const HEADS: readonly (readonly [Column, string])[] = [
  ['state', 'State'],
  ['name', 'Name'],
  ['use', 'CPU use'],
  ['cpu', 'CPU'],
  ['memory', 'Memory'],
  ['address', 'Address'],
  ['node', 'Node'],
  ['age', 'Age'],
];
const ROW_HEIGHT = 40;
const DENSE_ROW_HEIGHT = 32;
/** For the namespace below the name. */
const NAMESPACE_HEIGHT = 8;
const CARD_HEIGHT = 96;

/** The list. Only rows in sight exist, so that thousands scroll as smoothly as ten. */
export function MachineTable(props: Props) {
  const { machines, isListing, isStale, withNamespace, order, onOrder } = props;
  const { selected, onSelect, askedOf, onOpen, onAction } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const { isDense } = usePreferences();
  const lineHeight = (isDense ? DENSE_ROW_HEIGHT : ROW_HEIGHT) + (withNamespace ? NAMESPACE_HEIGHT : 0);
  const rowHeight = isNarrow ? CARD_HEIGHT : lineHeight;
  const { first, last } = useVirtualRows(scroller, rowHeight, machines.length);
  const [focused, setFocused] = useState(-1);
  const [menu, setMenu] = useState<{ readonly key: string; readonly opener: HTMLElement }>();
  const inMenu = menu && machines.find(({ key }) => key === menu.key);
  const chosen = useMemo(
    () => (selected.size === 0 ? 0 : machines.filter(({ key }) => selected.has(key)).length),
    [machines, selected],
  );

  const toggle = useCallback(
    (key: string): void =>
      onSelect((before) => {
        const next = new Set(before);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    [onSelect],
  );
  const openMenu = useCallback(
    (key: string, opener: HTMLElement): void =>
      setMenu((before) => (before?.opener === opener ? undefined : { key, opener })),
    [],
  );
  const closeMenu = useCallback((): void => setMenu(undefined), []);
  const toggleAll = (): void =>
    onSelect(chosen === machines.length ? new Set() : new Set(machines.map(({ key }) => key)));
  const move = (step: number): void => {
    const next = Math.max(0, Math.min(machines.length - 1, focused + step));
    setFocused(next);
    const element = scroller.current;
    if (!element) return;
    const top = next * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight * 2 > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight * 2 - element.clientHeight;
  };
  useKey('j', () => move(1));
  useKey('k', () => move(-1));
  useKey('x', () => {
    const machine = machines[focused];
    if (machine) toggle(machine.key);
  });
  useKey('Enter', (event) => {
    const machine = machines[focused];
    if (machine && event.target === document.body) onOpen(machine);
  });

  return (
    <div
      className={isStale ? 'table-scroll stale' : 'table-scroll'}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="List of machines"
    >
      <div
        className="table"
        role="table"
        aria-rowcount={machines.length + 1}
        aria-busy={isListing}
        aria-label="Machines"
      >
        <div role="rowgroup" className="table-head">
          <div className="row head" role="row" aria-rowindex={1}>
            <span role="columnheader" className="cell cell-check">
              <input
                type="checkbox"
                aria-label="Select all machines that are shown"
                disabled={isListing || machines.length === 0}
                checked={machines.length > 0 && chosen === machines.length}
                ref={(box) => {
                  if (box) box.indeterminate = chosen > 0 && chosen < machines.length;
                }}
                onChange={toggleAll}
              />
            </span>
            {HEADS.map(([column, title]) => (
              <Head key={column} column={column} title={title} order={order} onOrder={onOrder} />
            ))}
            <span role="columnheader" className="cell cell-more">
              <span className="visually-hidden">Actions</span>
            </span>
          </div>
        </div>
        {isListing && machines.length === 0 ? (
          <Skeleton />
        ) : (
          <div role="rowgroup" className="table-body" style={{ height: machines.length * rowHeight }}>
            {machines.slice(first, last).map((machine, index) => (
              <MachineRow
                key={machine.key}
                machine={machine}
                index={first + index}
                top={(first + index) * rowHeight}
                height={rowHeight}
                withNamespace={withNamespace}
                isSelected={selected.has(machine.key)}
                isFocused={focused === first + index}
                asked={askedOf(machine)}
                onToggle={toggle}
                onMenu={openMenu}
              />
            ))}
          </div>
        )}
      </div>
      {menu && inMenu && <RowMenu machine={inMenu} opener={menu.opener} onAction={onAction} onClose={closeMenu} />}
    </div>
  );
}

function Head({ column, title, order, onOrder }: { column: Column; title: string } & Pick<Props, 'order' | 'onOrder'>) {
  const isOrder = order.column === column;
  const sorted = isOrder ? (order.isDescending ? 'descending' : 'ascending') : 'none';
  return (
    <span role="columnheader" className={`cell cell-${column}`} aria-sort={sorted}>
      <button
        type="button"
        className="plain sort"
        onClick={() => onOrder({ column, isDescending: isOrder && !order.isDescending })}
      >
        {title}
        <span aria-hidden="true">{isOrder ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </span>
  );
}

function Skeleton() {
  return (
    <div className="skeleton" aria-hidden="true">
      {[0, 1, 2, 3, 4, 5].map((row) => (
        <div key={row} className="row skeleton-row" />
      ))}
    </div>
  );
}
