import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';

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
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' || event.key === 'Tab') {
      if (event.key === 'Escape') event.preventDefault();
      close();
      return;
    }
    const all = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const to = target(event.key, all.indexOf(document.activeElement as HTMLElement), all.length);
    if (to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
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
        <div ref={menu} id={id} role="menu" aria-label={label} className="menu" tabIndex={-1} onKeyDown={onKeyDown}>
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

function target(key: string, current: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
    case 'ArrowRight':
      return (current + 1) % count;
    case 'ArrowUp':
    case 'ArrowLeft':
      return (current - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
