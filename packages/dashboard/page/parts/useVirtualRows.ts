import { type RefObject, useEffect, useState } from 'react';

/** Which rows are in sight, with some before and after. */
export interface Window {
  readonly first: number;
  readonly last: number;
}

const SPARE_ROWS = 8;

/** The rows of a scrolled element that are worth drawing. */
export function windowOf(scrollTop: number, height: number, rowHeight: number, count: number): Window {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - SPARE_ROWS);
  const last = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + SPARE_ROWS);
  return { first: Math.min(first, last), last };
}

/** Follows the scroll position; draws again only when other rows come into sight. */
export function useVirtualRows(scroller: RefObject<HTMLElement | null>, rowHeight: number, count: number): Window {
  const [shown, setShown] = useState<Window>(() => windowOf(0, 800, rowHeight, count));
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const update = (): void => {
      const next = windowOf(element.scrollTop, element.clientHeight, rowHeight, count);
      setShown((before) => (before.first === next.first && before.last === next.last ? before : next));
    };
    update();
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [scroller, rowHeight, count]);
  return { first: Math.min(shown.first, count), last: Math.min(shown.last, count) };
}
