import type { KeyboardEvent } from 'react';

/** Moves the focus among the items of a menu by its keys; the menu is closed by `close`. */
export function onMenuKey(event: KeyboardEvent, menu: HTMLElement | null, close: () => void): void {
  if (event.key === 'Escape' || event.key === 'Tab') {
    if (event.key === 'Escape') event.preventDefault();
    close();
    return;
  }
  const all = [...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const to = target(event.key, all.indexOf(document.activeElement as HTMLElement), all.length);
  if (to === undefined) return;
  event.preventDefault();
  all[to]?.focus();
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
