/** Reads a regular expression in the syntax of Go's regexp package (RE2): no look-around, no back references. */

/** Whether a code point fits. */
export type CharTest = (code: number) => boolean;

export type PatternNode =
  | { readonly type: 'char'; readonly test: CharTest }
  | { readonly type: 'assert'; readonly kind: 'start' | 'end' | 'lineStart' | 'lineEnd' | 'word' | 'notWord' }
  | { readonly type: 'sequence' | 'choice'; readonly nodes: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly node: PatternNode; readonly min: number; readonly max: number };

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

const MAX_REPEAT = 1000;
const MAX_NESTING = 200;

const inRange =
  (from: number, to: number): CharTest =>
  (code) =>
    code >= from && code <= to;
const anyOf =
  (...tests: CharTest[]): CharTest =>
  (code) =>
    tests.some((test) => test(code));
const not =
  (test: CharTest): CharTest =>
  (code) =>
    !test(code);
const oneOf = (characters: string): CharTest => {
  const codes = new Set([...characters].map((character) => character.codePointAt(0)!));
  return (code) => codes.has(code);
};

const digit = inRange(0x30, 0x39);
const lower = inRange(0x61, 0x7a);
const upper = inRange(0x41, 0x5a);
export const isWordCharacter: CharTest = anyOf(digit, lower, upper, oneOf('_'));
const space = oneOf('\t\n\f\r ');
const CLASSES: Readonly<Record<string, CharTest>> = { d: digit, w: isWordCharacter, s: space };
const POSIX: Readonly<Record<string, CharTest>> = {
  alnum: anyOf(digit, lower, upper),
  alpha: anyOf(lower, upper),
  ascii: inRange(0, 0x7f),
  blank: oneOf('\t '),
  cntrl: anyOf(inRange(0, 0x1f), inRange(0x7f, 0x7f)),
  digit,
  graph: inRange(0x21, 0x7e),
  lower,
  print: inRange(0x20, 0x7e),
  punct: oneOf('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'),
  space: oneOf('\t\n\v\f\r '),
  upper,
  word: isWordCharacter,
  xdigit: anyOf(digit, inRange(0x61, 0x66), inRange(0x41, 0x46)),
};
const ESCAPES: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };

/** Throws an Error that says what is wrong with the expression. */
export function parsePattern(source: string): PatternNode {
  return new PatternParser(source).parse();
}

class PatternParser {
  readonly #source: readonly string[];
  #at = 0;
  #nesting = 0;

  constructor(source: string) {
    this.#source = [...source];
  }

  parse(): PatternNode {
    const node = this.#choice({ ignoreCase: false, multiline: false, dotAll: false });
    if (this.#at < this.#source.length) throw new Error('unexpected )');
    return node;
  }

  #peek(text: string): boolean {
    return [...text].every((character, i) => this.#source[this.#at + i] === character);
  }

  #take(text: string): boolean {
    const found = this.#peek(text);
    if (found) this.#at += [...text].length;
    return found;
  }

  /** Takes what the (sticky) expression matches in the next few characters. */
  #match(expression: RegExp): RegExpExecArray | null {
    const found = expression.exec(this.#source.slice(this.#at, this.#at + 100).join(''));
    if (found) this.#at += [...found[0]].length;
    return found;
  }

  #choice(flags: Flags): PatternNode {
    const nodes: PatternNode[] = [];
    let current = flags;
    do {
      const { node, flags: after } = this.#sequence(current);
      nodes.push(node);
      current = after;
    } while (this.#take('|'));
    return nodes.length === 1 ? nodes[0]! : { type: 'choice', nodes };
  }

  /** Flags set in the middle (`(?i)`) hold to the end of the group. */
  #sequence(initial: Flags): { node: PatternNode; flags: Flags } {
    const nodes: PatternNode[] = [];
    let flags = initial;
    while (this.#at < this.#source.length && !this.#peek('|') && !this.#peek(')')) {
      const change = this.#match(/^\(\?([imsU]*)(?:-([imsU]+))?\)/);
      if (change) flags = changeFlags(flags, change[1], change[2]);
      else if (this.#take('\\Q')) nodes.push(...this.#parseQuoted(flags));
      else nodes.push(this.#parseRepeated(flags));
    }
    return { node: { type: 'sequence', nodes }, flags };
  }

  #parseQuoted(flags: Flags): PatternNode[] {
    const nodes: PatternNode[] = [];
    while (this.#at < this.#source.length && !this.#take('\\E')) {
      nodes.push(character(literal(this.#source[this.#at++]!), flags));
    }
    return nodes;
  }

  #parseRepeated(flags: Flags): PatternNode {
    let node = this.#atom(flags);
    for (;;) {
      const found = this.#match(/^(?:[*+?]|\{(\d{1,5})(,(\d{0,5}))?\})\??/);
      if (!found) return node;
      const [text, least, comma, most] = found;
      const min = least === undefined ? (text.startsWith('+') ? 1 : 0) : Number(least);
      const unbounded = least === undefined ? !text.startsWith('?') : comma !== undefined && most === '';
      const max = unbounded ? Number.POSITIVE_INFINITY : least === undefined ? 1 : Number(most || least);
      if (min > MAX_REPEAT || (max !== Number.POSITIVE_INFINITY && max > MAX_REPEAT) || max < min) {
        throw new Error(`invalid repeat count: ${text}`);
      }
      if (
        node.type === 'repeat' &&
        least === undefined &&
        /^[*+?]/.test(text) &&
        node.min === min &&
        node.max === max
      ) {
        throw new Error(`invalid nested repetition operator: ${text}`);
      }
      node = { type: 'repeat', node, min, max };
    }
  }

  #atom(flags: Flags): PatternNode {
    if (this.#take('(')) return this.#group(flags);
    if (this.#take('[')) return character(this.#class(), flags);
    if (this.#take('.')) return { type: 'char', test: flags.dotAll ? () => true : (code) => code !== 10 };
    if (this.#take('^')) return { type: 'assert', kind: flags.multiline ? 'lineStart' : 'start' };
    if (this.#take('$')) return { type: 'assert', kind: flags.multiline ? 'lineEnd' : 'end' };
    if (this.#take('\\A')) return { type: 'assert', kind: 'start' };
    if (this.#take('\\z')) return { type: 'assert', kind: 'end' };
    if (this.#take('\\b')) return { type: 'assert', kind: 'word' };
    if (this.#take('\\B')) return { type: 'assert', kind: 'notWord' };
    if (this.#peek('\\')) return character(this.#escape(), flags);
    const next = this.#source[this.#at++]!;
    if ('*+?'.includes(next)) throw new Error(`missing argument to repetition operator: ${next}`);
    return character(literal(next), flags);
  }

  #group(flags: Flags): PatternNode {
    if (++this.#nesting > MAX_NESTING) throw new Error(`groups nest deeper than ${MAX_NESTING} levels`);
    const flagged = this.#match(/^\?([imsU]*)(?:-([imsU]+))?:/);
    if (!flagged && !this.#match(/^\?P?<\w+>/) && this.#peek('?'))
      throw new Error('invalid or unsupported Perl syntax: (?');
    const node = this.#choice(flagged ? changeFlags(flags, flagged[1], flagged[2]) : flags);
    if (!this.#take(')')) throw new Error('missing closing )');
    this.#nesting--;
    return node;
  }

  #class(): CharTest {
    const negated = this.#take('^');
    const tests: CharTest[] = [];
    for (let first = true; first || !this.#peek(']'); first = false) {
      if (this.#at >= this.#source.length) throw new Error('missing closing ]');
      const posix = this.#match(/^\[:(\^?)(\w+):\]/);
      if (posix) {
        const test = Object.hasOwn(POSIX, posix[2]!) ? POSIX[posix[2]!] : undefined;
        if (!test) throw new Error(`invalid character class range: ${posix[0]}`);
        tests.push(posix[1] ? not(test) : test);
        continue;
      }
      const from = this.#classCharacter();
      const isRange = typeof from === 'number' && this.#peek('-') && this.#source[this.#at + 1] !== ']';
      if (!isRange) {
        tests.push(typeof from === 'number' ? inRange(from, from) : from);
        continue;
      }
      this.#at++;
      const to = this.#classCharacter();
      if (typeof to !== 'number' || to < from) throw new Error('invalid character class range');
      tests.push(inRange(from, to));
    }
    this.#at++;
    const test = anyOf(...tests);
    return negated ? not(test) : test;
  }

  #classCharacter(): number | CharTest {
    if (!this.#peek('\\')) {
      const next = this.#source[this.#at++];
      if (next === undefined) throw new Error('missing closing ]');
      return next.codePointAt(0)!;
    }
    return this.#parseEscape();
  }

  #escape(): CharTest {
    const value = this.#parseEscape();
    return typeof value === 'number' ? inRange(value, value) : value;
  }

  #parseEscape(): number | CharTest {
    const unicode = this.#match(/^\\([pP])(?:\{(\^?)(\w+)\}|([A-Z]))/);
    if (unicode) return unicodeClass(unicode[3] ?? unicode[4]!, (unicode[1] === 'P') !== (unicode[2] === '^'));
    const hex = this.#match(/^\\x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/);
    if (hex) return Number.parseInt(hex[1] ?? hex[2]!, 16);
    const found = this.#match(/^\\([\s\S])/u);
    const name = found?.[1];
    if (name === undefined) throw new Error('trailing backslash at end of expression');
    const perl = Object.hasOwn(CLASSES, name.toLowerCase()) ? CLASSES[name.toLowerCase()] : undefined;
    if (perl) return name === name.toLowerCase() ? perl : not(perl);
    if (Object.hasOwn(ESCAPES, name)) return ESCAPES[name]!;
    if (/[0-9A-Za-z]/.test(name)) throw new Error(`invalid escape sequence: \\${name}`);
    return name.codePointAt(0)!;
  }
}

const literal = (text: string): CharTest => inRange(text.codePointAt(0)!, text.codePointAt(0)!);

function character(test: CharTest, { ignoreCase }: Flags): PatternNode {
  if (!ignoreCase) return { type: 'char', test };
  const folded: CharTest = (code) => {
    const text = String.fromCodePoint(code);
    return [text, text.toLowerCase(), text.toUpperCase()].some((form) => test(form.codePointAt(0)!));
  };
  return { type: 'char', test: folded };
}

function changeFlags(flags: Flags, on = '', off = ''): Flags {
  const flag = (letter: string, before: boolean) =>
    on.includes(letter) ? true : off.includes(letter) ? false : before;
  return {
    ignoreCase: flag('i', flags.ignoreCase),
    multiline: flag('m', flags.multiline),
    dotAll: flag('s', flags.dotAll),
  };
}

/** One character against one Unicode property: JavaScript's own tables, without any backtracking. */
function unicodeClass(name: string, negated: boolean): CharTest {
  const expression = tryRegExp(`^\\p{${name}}$`) ?? tryRegExp(`^\\p{Script=${name}}$`);
  if (!expression) throw new Error(`invalid character class range: \\p{${name}}`);
  return (code) => expression.test(String.fromCodePoint(code)) !== negated;
}

function tryRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}
