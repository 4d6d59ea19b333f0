import { goQuoted } from '../schema/goNames.ts';

/** What V8 says of malformed JSON, and what Go says of the character that stands there. */
const CAUSES: readonly (readonly [v8: RegExp, go: string])[] = [
  [/^Expected (?:double-quoted )?property name/, 'looking for beginning of object key string'],
  [/^Expected ':'/, 'after object key'],
  [/^Expected ',' or '\}'/, 'after object key:value pair'],
  [/^Expected ',' or '\]'/, 'after array element'],
  [/^Unexpected non-whitespace|^Unexpected number/, 'after top-level value'],
  [/^Bad control/, 'in string literal'],
  [/^Bad escaped/, 'in string escape code'],
  [/^Bad Unicode/, 'in \\u hexadecimal character escape'],
  [/^Unexpected token/, 'looking for beginning of value'],
];

const END = 'unexpected end of JSON input';

/** An error of `JSON.parse` in the words of Go's decoder, as far as it tells enough. */
export function goJsonError(text: string, { message }: Error): string {
  if (text.trim() === '' || /^Unexpected end|^Unterminated string/.test(message)) return END;
  const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  if (position >= text.length) return END;
  const character = Number.isNaN(position) ? /^Unexpected token '(.)'/su.exec(message)?.[1] : text.charAt(position);
  const cause = CAUSES.find(([v8]) => v8.test(message))?.[1];
  if (!character || !cause) return message;
  return `invalid character '${character === "'" ? "\\'" : goQuoted(character).slice(1, -1).replace('\\"', '"')}' ${cause}`;
}
