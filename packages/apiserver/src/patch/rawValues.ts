import { closingQuote, isObject, sortedKeys } from '@vireo/api/json.ts';
import { applyJsonPatch } from '@vireo/api/jsonPatch.ts';

/**
 * What a JSON patch makes of an object, as text. Go puts the values of operations into it as they were written, so that
 * a field given twice in a value is given twice in the object. Undefined where a later operation changes such a value.
 *
 * @param text the patch
 */
export function patchedText(current: unknown, text: string): string | undefined {
  const written = valuesOf(text);
  const operations = (JSON.parse(text) as unknown[]).map((operation, i) => {
    if (!isObject(operation) || operation.op === 'test' || written[i] === undefined) return operation;
    return { ...operation, value: `${MARK}${i}${MARK}` };
  });
  try {
    const result = JSON.stringify(sortedKeys(applyJsonPatch(current, operations)));
    return result.replaceAll(MARKED, (mark, i: string) => written[Number(i)] ?? mark);
  } catch {
    return undefined;
  }
}

const MARK = '\u0000';
const MARKED = /"\\u0000(\d+)\\u0000"/g;

/** The text of `value` in each operation of a patch that is well-formed. */
function valuesOf(text: string): (string | undefined)[] {
  const values: (string | undefined)[] = [];
  let depth = 0;
  let operation = 0;
  let key: string | undefined;
  let start: number | undefined;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] as string;
    if (character === '"') {
      const end = closingQuote(text, i);
      if (depth === 2 && key === undefined) key = JSON.parse(text.slice(i, end + 1)) as string;
      i = end;
    } else if (character === '{' || character === '[') depth++;
    else if (character === ':' && depth === 2) start = i + 1;
    else if (character === ',' || character === '}' || character === ']') {
      if (depth === 2 && key === 'value' && start !== undefined) values[operation] = text.slice(start, i).trim();
      if (depth === 2) [key, start] = [undefined, undefined];
      if (character !== ',') depth--;
      else if (depth === 1) operation++;
    }
  }
  return values;
}
