import { type RefObject, useEffect } from 'react';

/** Moves what a place shows by dragging its ground with a mouse; touch screens do that by themselves. */
export function useDragScroll(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let from: { x: number; y: number; left: number; top: number } | undefined;
    const onDown = (event: PointerEvent): void => {
      const isOnNode = event.target instanceof Element && event.target.closest('[data-key]') !== null;
      if (event.pointerType !== 'mouse' || event.button !== 0 || isOnNode) return;
      from = { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop };
      element.setPointerCapture(event.pointerId);
    };
    const onMove = (event: PointerEvent): void => {
      if (!from) return;
      element.scrollLeft = from.left - (event.clientX - from.x);
      element.scrollTop = from.top - (event.clientY - from.y);
    };
    const onUp = (): void => {
      from = undefined;
    };
    element.addEventListener('pointerdown', onDown);
    element.addEventListener('pointermove', onMove);
    element.addEventListener('pointerup', onUp);
    element.addEventListener('pointercancel', onUp);
    return () => {
      element.removeEventListener('pointerdown', onDown);
      element.removeEventListener('pointermove', onMove);
      element.removeEventListener('pointerup', onUp);
      element.removeEventListener('pointercancel', onUp);
    };
  }, [scroller]);
}
