/** Kubernetes' library of named formats: `format.dns1123Label().validate(s)`. */
import { dns1035Label, dnsLabel, dnsSubdomain, labelValueErrors, qualifiedNameErrors } from '@vireo/api/names.ts';
import { hasFormat } from '../../schema/formats.ts';
import { declare, type Library, memberOverload, overload } from '../declarations.ts';
import { listType, optionalType, STRING, structType } from '../types.ts';
import { Values } from '../values/collections.ts';
import { OpaqueValue, Optional, type Result } from '../values/values.ts';
import { parseUrl, UrlError } from './parseUrl.ts';

const FORMAT = structType('kubernetes.NamedFormat');

/** A format; costs go by the length of the pattern that Kubernetes checks it with. */
export class FormatValue extends OpaqueValue {
  readonly type = FORMAT;
  readonly name: string;
  readonly patternLength: number;
  readonly errors: (text: string) => readonly string[];

  constructor(name: string, patternLength: number, errors: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.patternLength = patternLength;
    this.errors = errors;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const known =
  (format: string, message: string) =>
  (text: string): string[] =>
    hasFormat(text, format) ? [] : [message];

function uriErrors(text: string): string[] {
  try {
    parseUrl(text);
    return [];
  } catch (error) {
    if (error instanceof UrlError) return [error.message];
    throw error;
  }
}

const DATE_TIME_PATTERN = 71;
const UUID_PATTERN = 70;

const formatValues: Readonly<Record<string, FormatValue>> = {
  dns1123Label: new FormatValue('DNS1123Label', 30, (text) => dnsLabel(text)),
  dns1123Subdomain: new FormatValue('DNS1123Subdomain', 60, (text) => dnsSubdomain(text)),
  dns1035Label: new FormatValue('DNS1035Label', 30, (text) => dns1035Label(text)),
  qualifiedName: new FormatValue('QualifiedName', 60, qualifiedNameErrors),
  dns1123LabelPrefix: new FormatValue('DNS1123LabelPrefix', 30, (text) => dnsLabel(text, true)),
  dns1123SubdomainPrefix: new FormatValue('DNS1123SubdomainPrefix', 60, (text) => dnsSubdomain(text, true)),
  dns1035LabelPrefix: new FormatValue('DNS1035LabelPrefix', 30, (text) => dns1035Label(text, true)),
  labelValue: new FormatValue('LabelValue', 40, labelValueErrors),
  uri: new FormatValue('URI', 1103, uriErrors),
  uuid: new FormatValue('uuid', UUID_PATTERN, known('uuid', 'does not match the UUID format')),
  byte: new FormatValue('byte', 84, known('byte', 'invalid base64')),
  date: new FormatValue('date', DATE_TIME_PATTERN, known('date', 'invalid date')),
  datetime: new FormatValue('datetime', DATE_TIME_PATTERN, known('date-time', 'invalid datetime')),
};

function validate(format: FormatValue, text: string): Result {
  const errors = format.errors(text);
  return errors.length === 0 ? Optional.none : new Optional(new Values(errors));
}

const named = (name: string): Result =>
  Object.hasOwn(formatValues, name) ? new Optional(formatValues[name]) : Optional.none;

/** Formats by their names, and checking a text. */
export const formats: Library = {
  functions: [
    declare('validate', memberOverload('format-validate', [FORMAT, STRING], optionalType(listType(STRING)), validate)),
    declare('format.named', overload('format-named', [STRING], optionalType(FORMAT), named)),
    ...Object.entries(formatValues).map(([name, value]) =>
      declare(
        `format.${name}`,
        overload(`format.${name}`, [], FORMAT, () => value),
      ),
    ),
  ],
};
