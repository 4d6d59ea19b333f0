import { badRequest } from './errors.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Which objects are meant, by the values of some of their fields. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /** `read` gives the field's text; a missing field is the empty text. */
  matches(read: (field: string) => string | undefined): boolean;
  /** The value that the field must have, where the selector names one. */
  exactValue(field: string): string | undefined;
  /** The string form, which `parseFieldSelector` reads back. */
  toString(): string;
}

export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    matches: (read) =>
      requirements.every(({ field, operator, value }) => ((read(field) ?? '') === value) === (operator === '=')),
    exactValue: (name) => requirements.find(({ field, operator }) => field === name && operator === '=')?.value,
    toString: () =>
      requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(','),
  };
}

/** Reads `metadata.name=x,status.phase!=Failed`; `\`, `,` and `=` in values are escaped with `\`. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== '');
  return fieldSelectorOf(
    terms.map((term) => {
      // Field names hold no operator signs, so the first sign is the operator.
      const match = /^([^=!\\]*)(!=|==|=)(.*)$/s.exec(term);
      if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, field = '', operator, value = ''] = match;
      return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value, text) };
    }),
  );
}

const splitTerms = (text: string): string[] => text.match(/(?:\\.|[^\\,]|\\$)+/gs) ?? [];

const escapeValue = (value: string): string => value.replaceAll(/[\\,=]/g, '\\$&');

function unescapeValue(value: string, text: string): string {
  return value.replaceAll(/\\(.?)|=/gs, (sequence, character: string | undefined) => {
    if (character === '\\' || character === ',' || character === '=') return character;
    const why = sequence === '=' ? 'unescaped character in value' : 'invalid escape sequence';
    throw badRequest(`invalid field selector '${text}': ${why}: ${sequence}`);
  });
}
