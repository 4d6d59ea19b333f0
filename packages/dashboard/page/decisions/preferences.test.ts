import { expect, it } from 'vitest';
import { DEFAULT_PREFERENCES, isLetterKey, parsePreferences, preferencesText } from './preferences.ts';

it.each([null, '', 'null', '7', '[]', '{"isUtc":"yes"}'])('%s is no choice', (text) => {
  expect(parsePreferences(text, null)).toEqual(DEFAULT_PREFERENCES);
});

it('what is kept comes back', () => {
  const chosen = { theme: 'dark', isUtc: true, hasLetterKeys: false, isDense: true } as const;
  expect(parsePreferences(preferencesText(chosen), 'dark')).toEqual(chosen);
  expect(parsePreferences(preferencesText(chosen), 'pink').theme).toBe('system');
});

it('single characters can be turned off, other keys not', () => {
  expect(['j', '/', '?', 'Enter', 'Escape'].filter(isLetterKey)).toEqual(['j', '/', '?']);
});
