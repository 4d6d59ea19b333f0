import { type LayoutName, type Stroke, strokesOf } from './layouts.ts';

/** A key that goes down or up. */
export interface KeyEvent {
  readonly keysym: number;
  readonly code: string;
  readonly isDown: boolean;
  /** How many characters have been typed with it. */
  readonly typed: number;
}

export interface Typing {
  readonly events: readonly KeyEvent[];
  /** Characters that will be typed. */
  readonly count: number;
  /** What no key of the layout gives, each once. */
  readonly untypable: readonly string[];
}

/** More is a matter for the network or a disk. */
export const MOST_TYPED_BYTES = 4_096;
/** Two events a key: 20 ms each keep ordinary guests from losing any. */
export const EVENT_MS = 10;
/** For guests without KVM, and for firmware. */
export const SLOW_EVENT_MS = 40;

const SHIFT = { keysym: 0xffe1, code: 'ShiftLeft' };
const ALT_GR = { keysym: 0xfe03, code: 'AltRight' };

/** The keys to press for a text. Shift and AltGr stay down between characters that both need them. */
export function typingOf(text: string, layout: LayoutName): Typing {
  const events: KeyEvent[] = [];
  const untypable = new Set<string>();
  const held = { isShift: false, isAltGr: false };
  let typed = 0;
  const hold = ({ isShift, isAltGr }: Pick<Stroke, 'isShift' | 'isAltGr'>): void => {
    if (held.isShift !== isShift) events.push({ ...SHIFT, isDown: isShift, typed });
    if (held.isAltGr !== isAltGr) events.push({ ...ALT_GR, isDown: isAltGr, typed });
    Object.assign(held, { isShift, isAltGr });
  };
  for (const character of text.replaceAll(/\r\n?/g, '\n').normalize('NFC')) {
    const strokes = strokesOf(character, layout);
    if (!strokes) {
      untypable.add(character);
      continue;
    }
    typed += 1;
    for (const stroke of strokes) {
      hold(stroke);
      const { keysym, code } = stroke;
      events.push({ keysym, code, isDown: true, typed }, { keysym, code, isDown: false, typed });
    }
  }
  hold({ isShift: false, isAltGr: false });
  return { events, count: typed, untypable: [...untypable] };
}

/** How a character that cannot be typed is shown. */
export const showCharacter = (character: string): string =>
  /^[\p{C}\p{Z}]/u.test(character)
    ? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    : character;

export const bytesIn = (text: string): number => new TextEncoder().encode(text).length;
