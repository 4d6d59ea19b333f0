import { useEffect, useRef } from 'react';
import { ACTIONS, type Action, type Offer, offerFor, WORDS } from '../decisions/actions.ts';
import type { Machine } from '../decisions/machine.ts';
import { onMenuKey } from './menuKeys.ts';
import { useMay } from './session.tsx';
import { useConsoles } from './useConsoles.ts';

interface Props {
  readonly machine: Machine;
  /** The button that it belongs to. */
  readonly opener: HTMLElement;
  readonly onAction: (action: Action, machines: readonly Machine[]) => void;
  readonly onClose: () => void;
}

const MENU_HEIGHT = 390;

/** What can be done with one machine of the list, or why it cannot. There is one menu for all rows. */
export function RowMenu({ machine, opener, onAction, onClose }: Props) {
  const may = useMay();
  const consoles = useConsoles();
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    menu.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const closeElsewhere = (event: Event): void => {
      const isInside = event.target instanceof Node && menu.current?.contains(event.target);
      if (!isInside && event.target !== opener) onClose();
    };
    const listened = ['pointerdown', 'scroll', 'resize'] as const;
    for (const type of listened) window.addEventListener(type, closeElsewhere, true);
    return () => {
      for (const type of listened) window.removeEventListener(type, closeElsewhere, true);
    };
  }, [opener, onClose]);
  const close = (): void => {
    onClose();
    opener.focus();
  };
  const item = (title: string, offer: Offer, onChoose: () => void) => (
    <button
      key={title}
      type="button"
      role="menuitem"
      tabIndex={-1}
      className="plain"
      aria-disabled={!offer.isOffered}
      onClick={() => {
        if (!offer.isOffered) return;
        close();
        onChoose();
      }}
    >
      {title}
      {offer.reason && <small className="muted">{offer.reason}</small>}
    </button>
  );
  const { top, bottom, right } = opener.getBoundingClientRect();
  const isAbove = bottom + MENU_HEIGHT > window.innerHeight && top > MENU_HEIGHT;
  const place = {
    right: window.innerWidth - right,
    ...(isAbove ? { bottom: window.innerHeight - top } : { top: bottom }),
  };
  return (
    <div
      ref={menu}
      role="menu"
      aria-label={`Actions of ${machine.name}`}
      className="row-menu"
      style={place}
      tabIndex={-1}
      onKeyDown={(event) => onMenuKey(event, menu.current, close)}
    >
      {consoles.isServed && item('Console', consoles.offerFor([machine]), () => consoles.open([machine]))}
      {ACTIONS.map((action) =>
        item(WORDS[action].verb, offerFor(action, [machine], may), () => onAction(action, [machine])),
      )}
    </div>
  );
}
