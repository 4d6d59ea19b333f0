/** What `JSON.parse` would hide: keys given twice, and nesting that is too deep. */
export interface JsonScan {
  /** Paths such as `spec.containers[0].name`, each named once, in order of appearance; not all where there are very many. */
  readonly duplicates: readonly string[];
  readonly tooDeep: boolean;
}

/**
 * Told of a key when it first appears in an object, and when it is first repeated there. `skip`: what lies below the
 * key is of no interest, however often the key appears; `stop`: nothing that follows is.
 */
export type KeyListener = (
  key: string,
  isRepeated: boolean,
  path: () => string,
  steps: () => readonly (string | number)[],
) => 'skip' | 'stop' | undefined;

interface Frame {
  /** Absent in a list. */
  readonly keys?: Set<string>;
  repeated?: Set<string>;
  skipped?: Set<string>;
  /** The path of the object or list itself, once it was asked for. */
  path?: string;
  /** The key under which, or the index at which, the next value stands. */
  at: string | number;
  expectsKey: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** How many objects with repeated keys are named: past that, more help nobody. */
const MAX_DUPLICATES = 200;

/**
 * One pass over JSON text before it is parsed. Malformed text is left for `JSON.parse` to refuse. Integers beyond 2^53
 * are not looked for: `JSON.parse` rounds them, typed decoding refuses them in integer fields, and free-form values
 * keep the rounded number. Paths are written only where they are needed, each step of them once: the time
 * goes with the length of the text, not with its depth.
 */
export function scanJson(input: string | Uint8Array, maxDepth = 10_000, onKey?: KeyListener): JsonScan {
  const text = typeof input === 'string' ? input : new TextDecoder().decode(input);
  const duplicates = new Set<string>();
  const stack: Frame[] = [];
  const path = (): string => pathOf(stack);
  const steps = () => stack.map(({ at }) => at);
  let frame: Frame | undefined;
  let listener = onKey;
  let left = MAX_DUPLICATES;
  /** How many levels are open where a skipped key stands. */
  let skippedAt = Number.POSITIVE_INFINITY;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = closingQuote(text, i);
        if (frame?.expectsKey && frame.keys) {
          const key = keyOf(text.slice(i, end + 1));
          frame.at = key;
          frame.expectsKey = false;
          const isRepeated = frame.keys.has(key);
          const isNews = !isRepeated || !frame.repeated?.has(key);
          if (!isRepeated) frame.keys.add(key);
          else if (isNews) {
            frame.repeated ??= new Set();
            frame.repeated.add(key);
            if (left-- > 0) duplicates.add(path());
          }
          if (listener && stack.length <= skippedAt) {
            skippedAt = frame.skipped?.has(key) ? stack.length : Number.POSITIVE_INFINITY;
            const answer = isNews && skippedAt > stack.length ? listener(key, isRepeated, path, steps) : undefined;
            if (answer === 'stop') listener = undefined;
            else if (answer === 'skip') {
              frame.skipped ??= new Set();
              frame.skipped.add(key);
              skippedAt = stack.length;
            }
          }
        }
        i = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_LIST:
        if (stack.length >= maxDepth) return { duplicates: [...duplicates], tooDeep: true };
        frame =
          text.charCodeAt(i) === OPEN_OBJECT
            ? { keys: new Set(), at: '', expectsKey: true }
            : { at: 0, expectsKey: false };
        stack.push(frame);
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        stack.pop();
        frame = stack.at(-1);
        break;
      case COMMA:
        if (frame?.keys) frame.expectsKey = true;
        else if (frame) frame.at = (frame.at as number) + 1;
        break;
    }
  }
  return { duplicates: [...duplicates], tooDeep: false };
}

/** Index of the quote that ends the string opened at `start`; the end of the text where there is none. */
export function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}

function keyOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}

/** The path of the value that comes next. */
function pathOf(stack: readonly Frame[]): string {
  let known = stack.length - 1;
  while (known > 0 && stack[known]?.path === undefined) known--;
  for (; known < stack.length - 1; known++) (stack[known + 1] as Frame).path = step(stack[known] as Frame);
  return step(stack.at(-1) as Frame);
}

const step = ({ path, at }: Frame): string =>
  typeof at === 'number' ? `${path ?? ''}[${at}]` : path === undefined ? at : `${path}.${at}`;
