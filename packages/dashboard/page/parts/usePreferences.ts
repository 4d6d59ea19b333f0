import { useSyncExternalStore } from 'react';
import { preferences, subscribePreferences } from '../data/preferences.ts';
import type { Preferences } from '../decisions/preferences.ts';

/** How this browser's user wants the page; draws again when that changes. */
export const usePreferences = (): Preferences => useSyncExternalStore(subscribePreferences, preferences);
