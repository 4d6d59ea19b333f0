import { badRequest } from '@vireo/api';
import { YAML_ERRORS } from './yaml.ts';

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

/** A warning is one line. */
const warningsOf = (error: string): string[] =>
  error.startsWith(YAML_ERRORS)
    ? error
        .split('\n')
        .slice(1)
        .map((line) => line.trim())
    : [error];
