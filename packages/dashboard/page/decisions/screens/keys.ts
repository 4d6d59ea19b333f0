/** A key as noVNC sends it. */
export interface Key {
  readonly keysym: number;
  readonly code: string;
}

export interface Combination {
  readonly label: string;
  readonly keys: readonly Key[];
}

/** Keys that can be held down by a button. */
export const HELD_KEYS = {
  Ctrl: { keysym: 0xffe3, code: 'ControlLeft' },
  Alt: { keysym: 0xffe9, code: 'AltLeft' },
  Super: { keysym: 0xffeb, code: 'MetaLeft' },
} as const satisfies Readonly<Record<string, Key>>;
export type HeldKey = keyof typeof HELD_KEYS;

const { Ctrl, Alt, Super } = HELD_KEYS;
const letter = (name: string): Key => ({ keysym: name.toLowerCase().charCodeAt(0), code: `Key${name}` });
const functionKey = (number: number): Key => ({ keysym: 0xffbd + number, code: `F${number}` });
const TAB = { keysym: 0xff09, code: 'Tab' };
const ESCAPE = { keysym: 0xff1b, code: 'Escape' };
const PRINT = { keysym: 0xff61, code: 'PrintScreen' };

/** What browsers or the user's own desktop keep for themselves. */
export const COMBINATIONS: readonly Combination[] = [
  { label: 'Ctrl-Alt-Del', keys: [Ctrl, Alt, { keysym: 0xffff, code: 'Delete' }] },
  { label: 'Ctrl-Alt-Backspace', keys: [Ctrl, Alt, { keysym: 0xff08, code: 'Backspace' }] },
  { label: 'Alt-Tab', keys: [Alt, TAB] },
  { label: 'Alt-F4', keys: [Alt, functionKey(4)] },
  { label: 'Esc', keys: [ESCAPE] },
  { label: 'Tab', keys: [TAB] },
  { label: 'Print', keys: [PRINT] },
  { label: 'Alt-Print (SysRq)', keys: [Alt, PRINT] },
  { label: 'Super', keys: [Super] },
  { label: 'Super-L', keys: [Super, letter('L')] },
  ...['W', 'T', 'N', 'Q'].map((name) => ({ label: `Ctrl-${name}`, keys: [Ctrl, letter(name)] })),
  { label: 'Ctrl-Esc', keys: [Ctrl, ESCAPE] },
  ...Array.from({ length: 12 }, (_, index) => ({
    label: `Ctrl-Alt-F${index + 1}`,
    keys: [Ctrl, Alt, functionKey(index + 1)],
  })),
  ...Array.from({ length: 12 }, (_, index) => ({ label: `F${index + 1}`, keys: [functionKey(index + 1)] })),
];

/** Down in order, up in reverse. */
export const pressesOf = ({ keys }: Combination): readonly (Key & { readonly isDown: boolean })[] => [
  ...keys.map((key) => ({ ...key, isDown: true })),
  ...keys.toReversed().map((key) => ({ ...key, isDown: false })),
];
