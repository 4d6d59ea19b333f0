import { badRequest } from '@vireo/api';
import { YAML_ERRORS } from './repeatedKeys.ts';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** Past this many, more help nobody. */
const MAX_ERRORS = 100;

/**
 * What becomes of unknown and duplicate fields: Strict refuses them with 400, Warn returns the texts of warnings,
 * Ignore says nothing. `of` puts the kind into the refusal, as Kubernetes does.
 */
export function fieldWarnings(
  strictErrors: readonly string[],
  mode: FieldValidation,
  of?: { readonly kind: string; readonly version: string },
): string[] {
  if (mode === 'Ignore' || strictErrors.length === 0) return [];
  const errors = [...new Set(strictErrors)].slice(0, MAX_ERRORS);
  if (mode === 'Warn') return errors.flatMap(warningsOf);
  const prefix = of ? `${of.kind} in version "${of.version}" cannot be handled as a ${of.kind}: ` : '';
  throw badRequest(`${prefix}strict decoding error: ${errors.join(', ')}`);
}

/**
 * The same for keys given twice in a configuration to apply, as `decodeBody` finds them in YAML. Nothing else is looked
 * for: what the schema does not have is refused before. A conflict comes first, so this is asked after the merge.
 */
export function appliedKeyWarnings(strictErrors: readonly string[], mode: FieldValidation): string[] {
  if (mode === 'Strict' && strictErrors.length > 0)
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${strictErrors.join(', ')}`);
  return fieldWarnings(strictErrors, mode);
}

/** A warning is one line. */
const warningsOf = (error: string): string[] =>
  error.startsWith(YAML_ERRORS)
    ? error
        .split('\n')
        .slice(1)
        .map((line) => line.trim())
    : [error];
