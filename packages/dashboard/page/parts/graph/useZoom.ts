import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

const STEP = 1.25;
const SMALLEST = 0.25;
const LARGEST = 2;
const within = (zoom: number): number => Math.min(LARGEST, Math.max(SMALLEST, zoom));

interface Size {
  readonly width: number;
  readonly height: number;
}

/** How large a drawing is shown: fitted at first, then as the buttons and Ctrl with the wheel say. */
export function useZoom(scroller: RefObject<HTMLElement | null>, { width, height }: Size) {
  const [zoom, setZoom] = useState(1);
  const isFitted = useRef(true);

  const fitted = useCallback((): number => {
    const element = scroller.current;
    if (!element || width === 0 || height === 0) return 1;
    return within(Math.min(1, element.clientWidth / width, element.clientHeight / height));
  }, [scroller, width, height]);
  const fit = useCallback((): void => {
    isFitted.current = true;
    setZoom(fitted());
  }, [fitted]);
  const by = useCallback((factor: number): void => {
    isFitted.current = false;
    setZoom((before) => within(before * factor));
  }, []);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (isFitted.current) setZoom(fitted());
    });
    observer.observe(element);
    // React's own listener is passive and could not keep the browser from zooming the page.
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      by(event.deltaY < 0 ? STEP : 1 / STEP);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
    };
  }, [scroller, fitted, by]);

  return { zoom, fit, zoomIn: () => by(STEP), zoomOut: () => by(1 / STEP) };
}
