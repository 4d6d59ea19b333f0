import { useEffect, useState } from 'react';

const TOKENS = ['series-1', 'series-2', 'muted', 'border', 'warn', 'text'] as const;
export type Colours = Readonly<Record<(typeof TOKENS)[number], string>>;

/** The colours of the theme as a canvas needs them; `light-dark()` is only resolved for an element. */
function readColours(): Colours {
  const probe = document.createElement('span');
  document.body.append(probe);
  const entries = TOKENS.map((token) => {
    probe.style.color = `var(--${token})`;
    return [token, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(entries) as Colours;
}

/** The colours of now, again when the theme changes. */
export function useColours(): Colours {
  const [colours, setColours] = useState(readColours);
  useEffect(() => {
    const update = (): void => setColours(readColours());
    const observer = new MutationObserver(update);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', update);
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', update);
    };
  }, []);
  return colours;
}
