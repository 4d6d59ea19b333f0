import { type RefObject, useCallback, useEffect, useState } from 'react';

/** Chromium's; lets keys such as Esc and Ctrl-W through to a page in full screen. */
interface KeyboardLock {
  lock?(): Promise<void>;
  unlock?(): void;
}

const keyboard = (): KeyboardLock | undefined => (navigator as { readonly keyboard?: KeyboardLock }).keyboard;

interface FullScreen {
  /** Whether the element fills the screen, or at least the page. */
  readonly isLarge: boolean;
  /** Whether Escape leaves it at once, as browsers do that cannot lend that key to a guest. */
  readonly isEscapeKept: boolean;
  readonly toggle: () => void;
}

/** Fills the screen with an element; where a browser does not allow that, the page. */
export function useFullScreen(element: RefObject<HTMLElement | null>): FullScreen {
  const [isFull, setFull] = useState(false);
  const [isEnlarged, setEnlarged] = useState(false);

  useEffect(() => {
    const follow = (): void => {
      const isNow = document.fullscreenElement !== null && document.fullscreenElement === element.current;
      setFull(isNow);
      if (isNow)
        void keyboard()
          ?.lock?.()
          .catch(() => {});
      else keyboard()?.unlock?.();
    };
    document.addEventListener('fullscreenchange', follow);
    return () => document.removeEventListener('fullscreenchange', follow);
  }, [element]);

  const toggle = useCallback((): void => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else if (isEnlarged) setEnlarged(false);
    else enter(element.current).catch(() => setEnlarged(true));
  }, [element, isEnlarged]);
  return { isLarge: isFull || isEnlarged, isEscapeKept: isFull && keyboard()?.lock === undefined, toggle };
}

async function enter(element: HTMLElement | null): Promise<void> {
  if (!element?.requestFullscreen) throw new Error('This browser has no full screen for elements.');
  await element.requestFullscreen();
}
