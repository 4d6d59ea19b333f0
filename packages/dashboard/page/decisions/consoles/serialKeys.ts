/** What a key of the menu sends: keys that browsers keep for themselves, and some that keyboards lack. */
export interface SerialKey {
  readonly label: string;
  readonly bytes: string;
}

const control = (letter: string): SerialKey => ({
  label: `Ctrl-${letter}`,
  bytes: String.fromCharCode(letter.charCodeAt(0) & 0x1f),
});

export const SERIAL_KEYS: readonly SerialKey[] = [
  ...['W', 'T', 'N', 'C', 'D', 'Z', 'L', 'R', 'A'].map(control),
  { label: 'Ctrl-\\', bytes: '\x1c' },
  { label: 'Ctrl-]', bytes: '\x1d' },
  { label: 'Esc', bytes: '\x1b' },
  { label: 'Tab', bytes: '\t' },
  ...Array.from({ length: 12 }, (_, index) => ({ label: `F${index + 1}`, bytes: functionKey(index + 1) })),
];

/** As a VT220 and xterm send them. */
function functionKey(number: number): string {
  const codes = [15, 17, 18, 19, 20, 21, 23, 24];
  return number <= 4 ? `\x1bO${'PQRS'.charAt(number - 1)}` : `\x1b[${codes[number - 5]}~`;
}

/** Serial lines carry no size, so a shell is told it. */
export const sizeLine = (rows: number, columns: number): string => `stty rows ${rows} cols ${columns}\r`;

/** How many lines a shell would run of a pasted text; a line break at the end of one line is one, too. */
export const pastedLines = (text: string): number => text.replaceAll('\r\n', '\n').split(/[\r\n]/).length;
