import { scanJson } from '@vireo/api/json.ts';
import type { DecodedBody } from './body.ts';

type Found = Pick<DecodedBody, 'strictErrors' | 'json' | 'isSorted'>;

/** How many fields are looked at closely: far more than are reported. */
const MAX_ERRORS = 1000;

const unknownField = (path: string): string => `unknown field "${path}"`;

/**
 * What a strict reader refuses in a body of a built-in kind. Go meets unknown and repeated fields in one pass over JSON,
 * so they are reported as they appear, and looks no further into what it does not know. YAML is first searched for repeated
 * keys, and then read as JSON with sorted ones.
 */
export function typedStrictErrors({ strictErrors, json, isSorted }: Found, unknownFields: readonly string[]): string[] {
  if (isSorted) return [...strictErrors, ...[...unknownFields].sort(byKeys).map(unknownField)];
  if (json === undefined || strictErrors.length === 0) return [...strictErrors, ...unknownFields.map(unknownField)];
  const unknown = new Set(unknownFields);
  // A path is long where the nesting is deep: it is only looked up where its last step may be that of an unknown field.
  const lastSteps = new Set(unknownFields.map(lastStep));
  const errors = new Set<string>();
  let left = MAX_ERRORS;
  scanJson(json, undefined, (key, isRepeated, pathOf) => {
    if (!isRepeated && !lastSteps.has(lastStep(key))) return undefined;
    if (left-- <= 0) return 'stop';
    const path = pathOf();
    const isUnknown = unknown.has(path);
    if (isUnknown) errors.add(unknownField(path));
    else if (isRepeated) errors.add(`duplicate field "${path}"`);
    return isUnknown ? 'skip' : undefined;
  });
  return [...errors];
}

const lastStep = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The same for a custom resource, which is read as a map first and compared with its schema then. */
export const customStrictErrors = (
  { strictErrors }: Pick<DecodedBody, 'strictErrors'>,
  unknownFields: readonly string[],
): string[] => [...strictErrors, ...unknownFields.map(unknownField)];

/** The order in which fields are met where the keys of every object are sorted. */
function byKeys(a: string, b: string): number {
  const [left, right] = [a, b].map((path) => path.split(/[.[\]]+/));
  for (let i = 0; i < left!.length && i < right!.length; i++) {
    const [x, y] = [left![i]!, right![i]!];
    if (x === y) continue;
    return /^\d+$/.test(x) && /^\d+$/.test(y) ? Number(x) - Number(y) : x < y ? -1 : 1;
  }
  return left!.length - right!.length;
}
