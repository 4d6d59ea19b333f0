import { declare, type Library, overload } from '../declarations.ts';
import { STRING } from '../types.ts';

/** `jsonpatch.escapeKey('a/b')`, which only mutating admission policies have. */
export const jsonPatch: Library = {
  functions: [
    declare(
      'jsonpatch.escapeKey',
      overload('string_jsonpatch_escapeKey_string', [STRING], STRING, (key: string) =>
        key.replaceAll('~', '~0').replaceAll('/', '~1'),
      ),
    ),
  ],
};
