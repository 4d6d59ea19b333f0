export type PathStep =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'slice'; readonly from?: number; readonly to?: number; readonly by: number }
  | { readonly type: 'all' | 'descend' }
  | { readonly type: 'union'; readonly steps: readonly PathStep[] }
  | FilterStep;

export interface FilterStep {
  readonly type: 'filter';
  readonly left: SubPath;
  /** Absent: the filter asks whether `left` leads anywhere. */
  readonly operator?: string;
  readonly right?: SubPath | { readonly value: unknown };
}

/** A path inside a filter: from the element (`@`) or from the root (`$`). */
export interface SubPath {
  readonly absolute: boolean;
  readonly steps: readonly PathStep[];
}

const MAX_LENGTH = 2000;

/** Reads a path, with or without the braces of kubectl and a leading `$`. */
export function parseSteps(text: string): PathStep[] {
  const fail = (why: string) => new Error(`invalid JSONPath ${JSON.stringify(text.slice(0, 100))}: ${why}`);
  if (text.length > MAX_LENGTH) throw fail(`longer than ${MAX_LENGTH} characters`);
  const inner = /^\{(.*)\}$/s.exec(text.trim())?.[1] ?? text.trim();
  const steps: PathStep[] = [];
  const body = inner.replace(/^[$@]/, '');
  let at = 0;
  while (at < body.length) {
    const rest = body.slice(at);
    if (rest.startsWith('[')) {
      const end = closingBracket(rest);
      if (end < 0) throw fail('unterminated array');
      steps.push(parseBracket(rest.slice(1, end).trim(), fail));
      at += end + 1;
      continue;
    }
    const dots = rest.startsWith('..') ? 2 : rest.startsWith('.') ? 1 : 0;
    // `{spec.a}` without the dot is accepted at the beginning only, as kubectl does.
    if (dots === 0 && at > 0) throw fail(`unexpected ${JSON.stringify(rest[0])}`);
    if (dots === 2) steps.push({ type: 'descend' });
    const name = /^(?:\\.|[^.[\]\\\s()'"?])*/s.exec(rest.slice(dots))![0];
    if (name === '' && !rest.slice(dots).startsWith('[') && body !== '.') throw fail('a field name is missing');
    if (name === '*') steps.push({ type: 'all' });
    else if (name !== '') steps.push({ type: 'key', key: name.replaceAll(/\\(.)/gs, '$1') });
    at += dots + name.length;
  }
  return steps;
}

/** Index of the bracket that closes the one at the start, skipping quoted text; -1 where there is none. */
function closingBracket(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character === "'" || character === '"') {
      i = text.indexOf(character, i + 1);
      if (i < 0) return -1;
    } else if (character === '[') depth++;
    else if (character === ']' && --depth === 0) return i;
  }
  return -1;
}

type Fail = (why: string) => Error;

function parseBracket(text: string, fail: Fail): PathStep {
  if (text === '*') return { type: 'all' };
  const filter = /^\?\((.*)\)$/s.exec(text);
  if (filter) return parseFilter(filter[1]!.trim(), fail);
  const parts = splitOutsideQuotes(text);
  const steps = parts.map((part) => parseSubscript(part.trim(), fail));
  return steps.length === 1 ? steps[0]! : { type: 'union', steps };
}

function parseSubscript(text: string, fail: Fail): PathStep {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  if (quoted) return { type: 'key', key: quoted[2]! };
  if (/^-?\d{1,9}$/.test(text)) return { type: 'index', index: Number(text) };
  const slice = /^(-?\d{1,9})?:(-?\d{1,9})?(?::(\d{1,9}))?$/.exec(text);
  if (!slice) throw fail(`invalid array index ${text}`);
  const [, from, to, by = '1'] = slice;
  if (Number(by) === 0) throw fail('step must be > 0');
  return {
    type: 'slice',
    ...(from !== undefined && { from: Number(from) }),
    ...(to !== undefined && { to: Number(to) }),
    by: Number(by),
  };
}

const splitOutsideQuotes = (text: string): string[] => text.match(/(?:'[^']*'|"[^"]*"|[^,])+/g) ?? [''];

function parseFilter(text: string, fail: Fail): PathStep {
  const match = /^((?:'[^']*'|"[^"]*"|[^=!<>'"])+?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/s.exec(text);
  if (!match) return { type: 'filter', left: parseSubPath(text, fail) };
  const [, left = '', operator, right = ''] = match;
  return { type: 'filter', left: parseSubPath(left.trim(), fail), operator, right: parseOperand(right.trim(), fail) };
}

function parseSubPath(text: string, fail: Fail): SubPath {
  if (!text.startsWith('@') && !text.startsWith('$')) throw fail(`a filter must start with @ or $: ${text}`);
  return { absolute: text.startsWith('$'), steps: parseSteps(text) };
}

function parseOperand(text: string, fail: Fail): SubPath | { value: unknown } {
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  if (quoted) return { value: quoted[2] };
  if (/^-?\d+(\.\d+)?$/.test(text)) return { value: Number(text) };
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  return parseSubPath(text, fail);
}
