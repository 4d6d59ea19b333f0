export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** How this browser shows the page. Kept in the browser, for nobody but its user. */
export interface Preferences {
  readonly theme: Theme;
  /** Exact times in UTC instead of the reader's zone. */
  readonly isUtc: boolean;
  /** Shortcuts of a single character, which speech input and unsteady hands trigger by mistake. */
  readonly hasLetterKeys: boolean;
  /** Less height for each row of a list. */
  readonly isDense: boolean;
}

export const DEFAULT_PREFERENCES: Preferences = { theme: 'system', isUtc: false, hasLetterKeys: true, isDense: false };

/** What was kept; what is missing or no choice is as by default. */
export function parsePreferences(text: string | null, theme: string | null): Preferences {
  const kept = parsed(text);
  const flag = (name: Exclude<keyof Preferences, 'theme'>): boolean => {
    const value = kept[name];
    return typeof value === 'boolean' ? value : DEFAULT_PREFERENCES[name];
  };
  return {
    theme: THEMES.find((each) => each === theme) ?? DEFAULT_PREFERENCES.theme,
    isUtc: flag('isUtc'),
    hasLetterKeys: flag('hasLetterKeys'),
    isDense: flag('isDense'),
  };
}

/** As it is kept. The theme is kept apart: a script reads it before the first paint. */
export function preferencesText({ theme: _, ...others }: Preferences): string {
  return JSON.stringify(others);
}

function parsed(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Whether a key is one character, such as `j` or `?`, and so can be turned off. */
export const isLetterKey = (key: string): boolean => [...key].length === 1;
