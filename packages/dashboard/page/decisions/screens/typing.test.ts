import { describe, expect, it } from 'vitest';
import { LAYOUT_NAMES, strokesOf } from './layouts.ts';
import { showCharacter, typingOf } from './typing.ts';

/** `+ShiftLeft` is down, `-ShiftLeft` up. */
const keys = (text: string, layout: Parameters<typeof typingOf>[1]): string =>
  typingOf(text, layout)
    .events.map(({ code, isDown }) => `${isDown ? '+' : '-'}${code}`)
    .join(' ');
const presses = (text: string, layout: Parameters<typeof typingOf>[1]): string =>
  typingOf(text, layout)
    .events.filter(({ isDown, code }) => isDown && code !== 'ShiftLeft' && code !== 'AltRight')
    .map(({ code }) => code)
    .join(' ');

describe('typing', () => {
  it('presses and releases, with Shift where it is needed', () => {
    expect(keys('aB', 'us')).toBe('+KeyA -KeyA +ShiftLeft +KeyB -KeyB -ShiftLeft');
  });

  it('keeps Shift down between capitals', () => {
    expect(keys('AB', 'us')).toBe('+ShiftLeft +KeyA -KeyA +KeyB -KeyB -ShiftLeft');
  });

  it('gives each key the keysym of its character, which QEMU compares with Caps Lock', () => {
    expect(typingOf('Z', 'de').events[1]).toMatchObject({ code: 'KeyY', keysym: 0x5a });
  });

  it.each([
    ['z', 'de', '+KeyY -KeyY'],
    ['@', 'de', '+AltRight +KeyQ -KeyQ -AltRight'],
    ['\\', 'de', '+AltRight +Minus -Minus -AltRight'],
    ['|', 'de', '+AltRight +IntlBackslash -IntlBackslash -AltRight'],
    ['~', 'de', '+AltRight +BracketRight -BracketRight -AltRight'],
    ['€', 'de', '+AltRight +KeyE -KeyE -AltRight'],
    ['/', 'de', '+ShiftLeft +Digit7 -Digit7 -ShiftLeft'],
    ['^', 'de', '+Backquote -Backquote +Space -Space'],
    ['^', 'de-nodeadkeys', '+Backquote -Backquote'],
    ['é', 'de', '+Equal -Equal +KeyE -KeyE'],
    ['è', 'de', '+ShiftLeft +Equal -Equal -ShiftLeft +KeyE -KeyE'],
    ['1', 'fr', '+ShiftLeft +Digit1 -Digit1 -ShiftLeft'],
    ['^', 'fr', '+AltRight +Digit9 -Digit9 -AltRight'],
    ['ê', 'fr', '+BracketLeft -BracketLeft +KeyE -KeyE'],
    ['£', 'gb', '+ShiftLeft +Digit3 -Digit3 -ShiftLeft'],
    ['#', 'gb', '+Backslash -Backslash'],
    ['\\', 'gb', '+IntlBackslash -IntlBackslash'],
    ['\r\n\t', 'us', '+Enter -Enter +Tab -Tab'],
  ] as const)('%j on a keyboard of %s: %s', (text, layout, expected) => {
    expect(keys(text, layout)).toBe(expected);
  });

  it.each(LAYOUT_NAMES)('types all of ASCII on a keyboard of %s, each character by keys of its own', (layout) => {
    const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
    expect(typingOf(ascii.join(''), layout).untypable).toEqual([]);
    const ways = ascii.map((character) => JSON.stringify(strokesOf(character, layout)));
    expect(new Set(ways).size).toBe(95);
  });

  it('leaves out what has no key, and lists it once', () => {
    const { count, untypable } = typingOf('a漢b漢ö', 'us');
    expect(count).toBe(2);
    expect(untypable).toEqual(['漢', 'ö']);
    expect(presses('a漢b', 'us')).toBe('KeyA KeyB');
    expect([showCharacter('漢'), showCharacter('\u0000'), showCharacter('\u200b')]).toEqual(['漢', 'U+0000', 'U+200B']);
  });

  it('tells how far it is', () => {
    expect(typingOf('abc', 'us').events.map(({ typed }) => typed)).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it('composes accents that were written apart', () => {
    expect(presses('u\u0308', 'de')).toBe('BracketLeft');
  });
});
