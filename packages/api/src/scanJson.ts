/** What `JSON.parse` would hide: keys given twice, and nesting that is too deep. */
export interface JsonScan {
  /** Paths such as `spec.containers[0].name`, each named once, in order of appearance. */
  readonly duplicates: readonly string[];
  readonly tooDeep: boolean;
}

interface Frame {
  /** Absent in a list. */
  readonly keys?: Set<string>;
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

/**
 * One pass over JSON text before it is parsed. Malformed text is left for `JSON.parse` to refuse. Integers beyond 2^53
 * are not looked for: `JSON.parse` rounds them, typed decoding refuses them in integer fields, and free-form values
 * keep the rounded number. `onKey` is told of every key in turn; it costs the time to write each path.
 */
export function scanJson(
  input: string | Uint8Array,
  maxDepth = 10_000,
  onKey?: (path: string, isRepeated: boolean) => void,
): JsonScan {
  const text = typeof input === 'string' ? input : new TextDecoder().decode(input);
  const duplicates = new Set<string>();
  const stack: Frame[] = [];
  let frame: Frame | undefined;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE: {
        const end = closingQuote(text, i);
        if (frame?.expectsKey && frame.keys) {
          const key = keyOf(text.slice(i, end + 1));
          frame.at = key;
          frame.expectsKey = false;
          onKey?.(pathOf(stack), frame.keys.has(key));
          if (frame.keys.has(key)) duplicates.add(pathOf(stack));
          frame.keys.add(key);
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
function closingQuote(text: string, start: number): number {
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

const pathOf = (stack: readonly Frame[]): string =>
  stack.map(({ at }, i) => (typeof at === 'number' ? `[${at}]` : i === 0 ? at : `.${at}`)).join('');
