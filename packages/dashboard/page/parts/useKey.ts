import { useEffect, useRef } from 'react';

/** Calls back for a key, but not while somebody types or a dialog is open. */
export function useKey(key: string, onKey: (event: KeyboardEvent) => void): void {
  const callback = useRef(onKey);
  callback.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      event.preventDefault();
      callback.current(event);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [key]);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], .xterm, dialog') !== null;
