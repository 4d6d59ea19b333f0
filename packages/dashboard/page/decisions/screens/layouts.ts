/** What the keys of a keyboard give, by rows of keys; a space is no character. */
interface Layout {
  readonly title: string;
  readonly plain: Rows;
  readonly shift: Rows;
  readonly altGr?: Rows;
  /** Characters of dead keys: they show with the next key. */
  readonly dead?: string;
}

type Rows = readonly [string, string, string, string];

/** A key, and what is held while it is pressed. */
export interface Stroke {
  readonly code: string;
  readonly keysym: number;
  readonly isShift: boolean;
  readonly isAltGr: boolean;
}

const letters = (text: string): string[] => [...text].map((letter) => `Key${letter}`);
/** Keys by where they are, named as browsers name them, from left to right. */
const CODES: readonly (readonly string[])[] = [
  ['Backquote', ...[...'1234567890'].map((digit) => `Digit${digit}`), 'Minus', 'Equal'],
  [...letters('QWERTYUIOP'), 'BracketLeft', 'BracketRight'],
  [...letters('ASDFGHJKL'), 'Semicolon', 'Quote', 'Backslash'],
  ['IntlBackslash', ...letters('ZXCVBNM'), 'Comma', 'Period', 'Slash'],
];

const GERMAN: Layout = {
  title: 'German',
  plain: ['^1234567890ß´', 'qwertzuiopü+', 'asdfghjklöä#', '<yxcvbnm,.-'],
  shift: ['°!"§$%&/()=?`', 'QWERTZUIOPÜ*', "ASDFGHJKLÖÄ'", '>YXCVBNM;:_'],
  altGr: ['  ²³   {[]}\\ ', '@ €        ~', '            ', '|      µ   '],
  dead: '^´`',
};

export const LAYOUTS = {
  us: {
    title: 'English (US)',
    plain: ['`1234567890-=', 'qwertyuiop[]', "asdfghjkl;'\\", ' zxcvbnm,./'],
    shift: ['~!@#$%^&*()_+', 'QWERTYUIOP{}', 'ASDFGHJKL:"|', ' ZXCVBNM<>?'],
  },
  gb: {
    title: 'English (UK)',
    plain: ['`1234567890-=', 'qwertyuiop[]', "asdfghjkl;'#", '\\zxcvbnm,./'],
    shift: ['¬!"£$%^&*()_+', 'QWERTYUIOP{}', 'ASDFGHJKL:@~', '|ZXCVBNM<>?'],
    altGr: ['    €        ', '            ', '            ', '           '],
  },
  de: GERMAN,
  'de-nodeadkeys': { ...GERMAN, title: 'German, no dead keys', dead: '' },
  fr: {
    title: 'French',
    plain: ['²&é"\'(-è_çà)=', 'azertyuiop^$', 'qsdfghjklmù*', '<wxcvbn,;:!'],
    shift: [' 1234567890°+', 'AZERTYUIOP¨£', 'QSDFGHJKLM%µ', '>WXCVBN?./§'],
    altGr: ['  ~#{[|`\\^@]}', '  €        ¤', '            ', '           '],
    dead: '^¨',
  },
} as const satisfies Readonly<Record<string, Layout>>;

export type LayoutName = keyof typeof LAYOUTS;
export const LAYOUT_NAMES = Object.keys(LAYOUTS) as readonly LayoutName[];
export const isLayout = (name: string): name is LayoutName => Object.hasOwn(LAYOUTS, name);

/** The combining marks that dead keys stand for. */
const MARKS: Readonly<Record<string, string>> = { '^': '\u0302', '´': '\u0301', '`': '\u0300', '¨': '\u0308' };

const ENTER = { keysym: 0xff0d, isShift: false, isAltGr: false };
const FIXED: readonly (readonly [string, Stroke])[] = [
  [' ', { ...ENTER, code: 'Space', keysym: 0x20 }],
  ['\n', { ...ENTER, code: 'Enter' }],
  ['\t', { ...ENTER, code: 'Tab', keysym: 0xff09 }],
];

/** Which keys type a character; undefined if none of this layout do. */
export function strokesOf(character: string, name: LayoutName): readonly Stroke[] | undefined {
  const table = TABLES.get(name) ?? tableOf(LAYOUTS[name]);
  TABLES.set(name, table);
  return table.get(character);
}

const TABLES = new Map<LayoutName, ReadonlyMap<string, readonly Stroke[]>>();

function tableOf({ plain, shift, altGr, dead = '' }: Layout): ReadonlyMap<string, readonly Stroke[]> {
  const table = new Map<string, readonly Stroke[]>(FIXED.map(([character, stroke]) => [character, [stroke]]));
  const accents = new Map<string, Stroke>();
  const add = (rows: Rows, isShift: boolean, isAltGr: boolean): void => {
    for (const [row, codes] of CODES.entries())
      for (const [column, character] of [...(rows[row] ?? '')].entries()) {
        const code = codes[column];
        if (character === ' ' || code === undefined) continue;
        const stroke = { code, keysym: keysymOf(character), isShift, isAltGr };
        if (dead.includes(character) && !isAltGr) accents.set(character, stroke);
        else if (!table.has(character)) table.set(character, [stroke]);
      }
  };
  add(plain, false, false);
  add(shift, true, false);
  if (altGr) add(altGr, false, true);
  addAccents(table, accents);
  return table;
}

/** With a space a dead key gives itself, with a letter one with an accent. */
function addAccents(table: Map<string, readonly Stroke[]>, accents: ReadonlyMap<string, Stroke>): void {
  for (const [accent, stroke] of accents) {
    const add = (character: string, next: readonly Stroke[]): void => {
      if (!table.has(character)) table.set(character, [stroke, ...next]);
    };
    for (const letter of 'aeiouyAEIOUY') {
      const whole = `${letter}${MARKS[accent]}`.normalize('NFC');
      if ([...whole].length === 1) add(whole, table.get(letter) ?? []);
    }
    add(accent, table.get(' ') ?? []);
  }
}

/** X11's number for a character. */
function keysymOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  return point < 0x100 ? point : 0x1000000 + point;
}
