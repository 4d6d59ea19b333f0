import { useEffect, useRef } from 'react';
import { preferences } from '../data/preferences.ts';
import { isLetterKey } from '../decisions/preferences.ts';

/** Calls back for a key, but not while somebody types or a dialog is open, nor for a letter if those are turned off. */
export function useKey(key: string, onKey: (event: KeyboardEvent) => void): void {
  const callback = useRef(onKey);
  callback.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // Enter is how a keyboard presses what has the focus.
      if (key === 'Enter' && isPressable(event.target)) return;
      if (isLetterKey(key) && !preferences().hasLetterKeys) return;
      event.preventDefault();
      callback.current(event);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [key]);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], .xterm, dialog') !== null;

const isPressable = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('button, a, summary, [role="button"], [role="tab"], [role="menuitem"]') !== null;
