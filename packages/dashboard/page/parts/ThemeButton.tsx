import { useState } from 'react';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
/** `public/theme.js` reads it before the first paint. */
const STORED = 'vireo.theme';

export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>((document.documentElement.dataset.theme as Theme | undefined) ?? 'system');
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const choose = (): void => {
    setTheme(next);
    if (next === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      if (next === 'system') localStorage.removeItem(STORED);
      else localStorage.setItem(STORED, next);
    } catch {
      // Storage may be forbidden; the choice then lasts until the page is left.
    }
  };
  return (
    <button type="button" className="plain theme" onClick={choose} title={`Change to ${next}`}>
      <span className="visually-hidden">Theme: </span>
      {theme}
    </button>
  );
}
