import { describe, expect, it } from 'vitest';
import { reachableSchemas } from '../testing/reachableSchemas.ts';
import { bodyKinds, builtinKinds } from './index.ts';
import { kubevirtKinds } from './kubevirt/definitions.ts';

const kinds = [...builtinKinds, ...bodyKinds, ...kubevirtKinds];

/** What kubectl explain shows, by where it stands. */
function* descriptions(): Iterable<readonly [place: string, text: string | undefined]> {
  for (const { kind, columns } of [...builtinKinds, ...kubevirtKinds])
    for (const { name, description } of columns) if (description) yield [`${kind}, column ${name}`, description];
  for (const [schema, path] of reachableSchemas(kinds)) {
    if (schema.name) yield [schema.name, schema.description];
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      yield [`${path}.${name}`, property.description];
  }
}

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}][^\s,.;:]*/gu) ?? [];

describe('descriptions of kinds and fields', () => {
  it('are sentences of three words or more, for kubectl explain', () => {
    const poor = [...descriptions()].filter(
      ([, text]) => !text || !/^[\p{Lu}*0].*\.\)?$/su.test(text) || wordsOf(text).length < 3,
    );
    expect(poor).toEqual([]);
  });

  it('say "Defaults to" and "Human-readable", not words of our own', () => {
    const odd = [...descriptions()].filter(([, text]) => /when (missing|empty)|for people|one a type/.test(text ?? ''));
    expect(odd).toEqual([]);
  });
});
