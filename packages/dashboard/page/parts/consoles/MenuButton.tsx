import { useEffect, useId, useRef, useState } from 'react';
import { onMenuKey } from '../menuKeys.ts';

interface Props {
  readonly label: string;
  readonly items: readonly string[];
  readonly onChoose: (item: string) => void;
  /** Why nothing can be chosen now. */
  readonly obstacle?: string | undefined;
}

/** A button with a menu below it; arrow keys move in it, Escape and a click elsewhere close it. */
export function MenuButton({ label, items, onChoose, obstacle }: Props) {
  const [isOpen, setOpen] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();

  useEffect(() => {
    if (!isOpen) return;
    menu.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const closeElsewhere = (event: Event): void => {
      if (event.target instanceof Node && !whole.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeElsewhere, true);
    return () => document.removeEventListener('pointerdown', closeElsewhere, true);
  }, [isOpen]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div className="menu-place" ref={whole}>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-disabled={obstacle !== undefined}
        title={obstacle}
        onClick={() => obstacle === undefined && setOpen(!isOpen)}
      >
        {label} <span aria-hidden="true">▾</span>
        {obstacle && <span className="visually-hidden">: {obstacle}</span>}
      </button>
      {isOpen && (
        <div
          ref={menu}
          id={id}
          role="menu"
          aria-label={label}
          className="popup"
          tabIndex={-1}
          onKeyDown={(event) => onMenuKey(event, menu.current, close)}
        >
          {items.map((item) => (
            <button
              key={item}
              type="button"
              role="menuitem"
              tabIndex={-1}
              className="plain"
              onClick={() => {
                close();
                onChoose(item);
              }}
            >
              {item}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
