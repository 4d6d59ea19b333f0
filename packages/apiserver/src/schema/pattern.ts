/** A pattern of a schema, ready to test. */
export interface Pattern {
  test(text: string): boolean;
}

const compiled = new Map<string, Pattern | undefined>();

/** Compiles a pattern written for Go's regexp; undefined where it is none. Each is compiled once. */
export function compilePattern(source: string): Pattern | undefined {
  if (!compiled.has(source)) compiled.set(source, compile(source));
  return compiled.get(source);
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  digit: '0-9',
  lower: 'a-z',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

function compile(source: string): Pattern | undefined {
  const [, flags = ''] = /^\(\?([ims]+)\)/.exec(source) ?? [];
  const body = source
    .slice(flags === '' ? 0 : flags.length + 3)
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replaceAll(/\[:(\w+):\]/g, (text, name: string) => CLASSES[name] ?? text)
    .replaceAll(/\\([pP])([A-Z])/g, '\\$1{$2}');
  return tryRegExp(body, `${flags}u`) ?? tryRegExp(body, flags);
}

function tryRegExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
