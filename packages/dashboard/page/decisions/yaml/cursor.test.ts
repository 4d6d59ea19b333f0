import { describe, expect, it } from 'vitest';
import { cursorAt } from './cursor.ts';
import { pathText } from './values.ts';

/** `|` is where the cursor stands. Gives the mapping, the key of the line and the word before the cursor. */
function at(text: string) {
  const offset = text.indexOf('|');
  const plain = text.replace('|', '');
  const cursor = cursorAt(plain, offset);
  if (!cursor) return undefined;
  const { parent, key = '', isInValue, from } = cursor;
  return [pathText(parent), isInValue ? `${key}=` : key, plain.slice(from, offset)];
}

describe('the place in a text', () => {
  it.each([
    ['ki|', '', '', 'ki'],
    ['spec:\n  run|', 'spec', '', 'run'],
    ['spec:\n  runStrategy: Al|', 'spec', 'runStrategy=', 'Al'],
    ['spec:\n  run|Strategy: x', 'spec', 'runStrategy', 'run'],
    ['spec:\n  disks:\n    - name: a\n      b|', 'spec.disks[0]', '', 'b'],
    ['spec:\n  disks:\n    - name: a\n    - n|', 'spec.disks[1]', '', 'n'],
    ['spec:\n  disks:\n  - name: a\n    x: 1\n  - name: b\n    disk:\n      b|', 'spec.disks[1].disk', '', 'b'],
    ['spec:\n  a:\n    b: 1\n\n  # why\n  c|', 'spec', '', 'c'],
    ['a: 1\n---\nspec:\n  c|', 'spec', '', 'c'],
    ['spec:\n  a:\n    - list:\n        - x: 1\n        - y|', 'spec.a[0].list[1]', '', 'y'],
    ['metadata:\n  labels:\n    "a/b": c|', 'metadata.labels', 'a/b=', 'c'],
  ])('%j', (text, ...wanted) => expect(at(text)).toEqual(wanted));
  it('is none in a comment', () => expect(at('a: 1\n# b|')).toBeUndefined());
});
