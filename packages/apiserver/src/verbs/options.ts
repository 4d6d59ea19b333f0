import { badRequest, type FieldError, field, invalid } from '@vireo/api';
import { isTrue } from '../requestInfo.ts';

/** The query parameters of a write. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  /** Whether an apply takes what others own. */
  readonly force: boolean;
}

/** `isApply`: a patch that is a configuration to apply, which needs a manager and may be forced. */
export function writeOptions(query: URLSearchParams, kind: string, isApply = false): WriteOptions {
  const errors: FieldError[] = [];
  const fieldManager = query.get('fieldManager') ?? '';
  if (kind === 'PatchOptions' && !isApply && query.has('force'))
    errors.push(field.forbidden('force', 'may not be specified for non-apply patch'));
  if (isApply && fieldManager === '') errors.push(field.required('fieldManager', 'is required for apply patch'));
  errors.push(...fieldManagerErrors(fieldManager));
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  errors.push(...dryRunErrors(dryRun));
  const validation = query.get('fieldValidation') || 'Warn';
  if (validation !== 'Strict' && validation !== 'Warn' && validation !== 'Ignore')
    errors.push(field.notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  if (errors.length > 0) throw invalid('meta.k8s.io', kind, '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: validation as WriteOptions['fieldValidation'],
    force: query.has('force') && isTrue(query.get('force')),
  };
}

/** What is wrong with the stages that a dry run is to leave out: there is only one word for them. */
export const dryRunErrors = (stages: readonly unknown[]): FieldError[] =>
  stages.every((stage) => stage === 'All') ? [] : [field.notSupported('dryRun', stages, ['All'])];

const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** What is wrong with the name of a manager. */
export function fieldManagerErrors(name: string, path = 'fieldManager'): FieldError[] {
  const errors = Buffer.byteLength(name) > 128 ? [field.tooLong(path, 128)] : [];
  let at = 0;
  for (const character of name) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    if (UNPRINTABLE.test(character))
      errors.push(field.invalid(path, name, `invalid character U+${code} (at position ${at})`));
    at += Buffer.byteLength(character);
  }
  return errors;
}

/** The query parameters of a list or watch. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

export function listOptions(query: URLSearchParams): ListOptions {
  const sendInitialEvents = query.get('sendInitialEvents');
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: Math.max(wholeNumber(query, 'limit') ?? 0, 0),
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    allowWatchBookmarks: query.has('allowWatchBookmarks') && isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: sendInitialEvents === null ? undefined : isTrue(sendInitialEvents),
    timeoutSeconds: wholeNumber(query, 'timeoutSeconds'),
  };
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d{1,15}$/.test(text))
    throw badRequest(`${name}: Invalid value: ${JSON.stringify(text)}: must be a whole number`);
  return Number(text);
}

/** Checks the combinations that Kubernetes refuses. */
export function checkListOptions(options: ListOptions, isWatch: boolean): void {
  const errors: FieldError[] = [];
  const { resourceVersionMatch: match, resourceVersion } = options;
  if (match !== '') {
    if (isWatch && options.sendInitialEvents === undefined)
      errors.push(
        field.forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      );
    if (!isWatch && resourceVersion === '')
      errors.push(
        field.forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    if (options.continue !== '')
      errors.push(
        field.forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      );
    const supported = isWatch ? ['NotOlderThan'] : ['Exact', 'NotOlderThan', ''];
    if (!supported.includes(match)) errors.push(field.notSupported('resourceVersionMatch', match, supported));
    if (!isWatch && match === 'Exact' && resourceVersion === '0')
      errors.push(
        field.forbidden('resourceVersionMatch', 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
  }
  if (options.sendInitialEvents !== undefined) {
    if (!isWatch) errors.push(field.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
    else if (match !== 'NotOlderThan')
      errors.push(
        field.forbidden(
          'resourceVersionMatch',
          'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
        ),
      );
    if (isWatch && options.sendInitialEvents && !options.allowWatchBookmarks)
      errors.push(field.forbidden('allowWatchBookmarks', 'sendInitialEvents requires allowWatchBookmarks'));
  }
  if (errors.length > 0) throw invalid('meta.k8s.io', 'ListOptions', '', errors);
}

const MAX_VERSION = 2n ** 64n - 1n;

/** A resourceVersion as a number; clients may only hand back what they got. */
export function parseResourceVersion(text: string): number {
  const isNumber = /^\d{1,30}$/.test(text);
  if (isNumber && BigInt(text) <= MAX_VERSION) return Number(text);
  const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${isNumber ? 'value out of range' : 'invalid syntax'}`;
  const { field: path, text: error } = field.invalid('resourceVersion', text, why);
  throw badRequest(`invalid resource version: ${path}: ${error}`);
}
