import { useEffect, useRef } from 'react';
import { preferences } from '../../data/preferences.ts';
import { GO_KEYS } from '../../decisions/navigation.ts';

/** For how long a `g` waits for the letter of a page. */
const WAIT_MS = 1_500;

/** Ctrl-K or ⌘-K opens the palette, `g` and a letter go to a page. Consoles get their keys themselves. */
export function useShortcuts(onPalette: () => void, onGo: (href: string) => void): void {
  const callbacks = useRef({ onPalette, onGo });
  callbacks.current = { onPalette, onGo };
  useEffect(() => {
    let waitsUntilMs = 0;
    const listen = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey) {
        if (isIn(event.target, '.xterm, canvas, .cm-editor, dialog')) return;
        event.preventDefault();
        callbacks.current.onPalette();
        return;
      }
      if (ctrlKey || metaKey || altKey || !preferences().hasLetterKeys) return;
      if (isIn(event.target, 'input, textarea, select, [contenteditable], .xterm, canvas, dialog')) return;
      const href = Date.now() < waitsUntilMs && Object.hasOwn(GO_KEYS, key) ? GO_KEYS[key] : undefined;
      waitsUntilMs = key === 'g' ? Date.now() + WAIT_MS : 0;
      if (href === undefined) return;
      // The second letter is no shortcut of the page.
      event.preventDefault();
      event.stopImmediatePropagation();
      callbacks.current.onGo(href);
    };
    window.addEventListener('keydown', listen, { capture: true });
    return () => window.removeEventListener('keydown', listen, { capture: true });
  }, []);
}

const isIn = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null;
