import {
  DEFAULT_PREFERENCES,
  type Preferences,
  parsePreferences,
  preferencesText,
  type Theme,
} from '../decisions/preferences.ts';
import { showTimesIn } from '../decisions/times.ts';

const STORED = 'vireo.preferences';
/** `public/theme.js` reads it before the first paint. */
const STORED_THEME = 'vireo.theme';

const listeners = new Set<() => void>();
let current = read();
apply(current);

/** What is chosen now. */
export const preferences = (): Preferences => current;

export const subscribePreferences = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Chooses, applies at once, and keeps it for the next visit. */
export function choosePreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  apply(current);
  keep(current);
  for (const listener of listeners) listener();
}

function read(): Preferences {
  try {
    return parsePreferences(localStorage.getItem(STORED), localStorage.getItem(STORED_THEME));
  } catch {
    // Storage may be forbidden.
    return DEFAULT_PREFERENCES;
  }
}

function keep(chosen: Preferences): void {
  try {
    localStorage.setItem(STORED, preferencesText(chosen));
    if (chosen.theme === 'system') localStorage.removeItem(STORED_THEME);
    else localStorage.setItem(STORED_THEME, chosen.theme);
  } catch {
    // The choice then lasts until the page is left.
  }
}

function apply({ theme, isUtc, isDense }: Preferences): void {
  showTimesIn(isUtc ? 'UTC' : undefined);
  if (typeof document === 'undefined') return;
  set('theme', theme === 'system' ? undefined : (theme satisfies Theme));
  set('density', isDense ? 'dense' : undefined);
}

function set(name: string, value: string | undefined): void {
  const { dataset } = document.documentElement;
  if (value === undefined) delete dataset[name];
  else dataset[name] = value;
}
