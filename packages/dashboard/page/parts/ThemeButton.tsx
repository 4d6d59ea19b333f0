import type { ReactNode } from 'react';
import { choosePreferences } from '../data/preferences.ts';
import { type Preferences, THEMES } from '../decisions/preferences.ts';
import { usePreferences } from './usePreferences.ts';

const SIGNS: Readonly<Record<Preferences['theme'], ReactNode>> = {
  system: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
    </>
  ),
  light: (
    <>
      <circle cx="8" cy="8" r="3" />
      <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1" />
    </>
  ),
  dark: <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z" />,
};

export function ThemeButton() {
  const { theme } = usePreferences();
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return (
    <button
      type="button"
      className="plain theme"
      onClick={() => choosePreferences({ theme: next })}
      title={`Theme: ${theme}. Change to ${next}`}
    >
      <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        {SIGNS[theme]}
      </svg>
      <span className="visually-hidden">Theme: {theme}</span>
    </button>
  );
}
