import { badRequest, type FieldError, field, invalid } from '@vireo/api';
import { isTrue } from '../requestInfo.ts';

/** The query parameters of a write. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
}

export function writeOptions(query: URLSearchParams, kind: string): WriteOptions {
  const errors: FieldError[] = [];
  const dryRun = query.getAll('dryRun').filter((value) => value !== '');
  for (const value of dryRun) if (value !== 'All') errors.push(field.notSupported('dryRun', value, ['All']));
  const validation = query.get('fieldValidation') || 'Warn';
  if (validation !== 'Strict' && validation !== 'Warn' && validation !== 'Ignore')
    errors.push(field.notSupported('fieldValidation', validation, ['Ignore', 'Warn', 'Strict']));
  const fieldManager = query.get('fieldManager') ?? '';
  if (fieldManager.length > 128) errors.push(field.tooLong('fieldManager', 128));
  if (errors.length > 0) throw invalid('meta.k8s.io', kind, '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: validation as WriteOptions['fieldValidation'],
  };
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
    limit: wholeNumber(query, 'limit') ?? 0,
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
  if (!/^\d{1,15}$/.test(text))
    throw badRequest(`${name}: Invalid value: ${JSON.stringify(text)}: must be a whole number`);
  return Number(text);
}

/** Checks the combinations that Kubernetes refuses. */
export function checkListOptions(options: ListOptions, isWatch: boolean): void {
  const errors: FieldError[] = [];
  const { resourceVersionMatch: match, resourceVersion } = options;
  if (match !== '') {
    if (match !== 'NotOlderThan' && match !== 'Exact')
      errors.push(field.notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    else if (isWatch && options.sendInitialEvents === undefined)
      errors.push(
        field.forbidden(
          'resourceVersionMatch',
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      );
    else if (!isWatch && resourceVersion === '')
      errors.push(
        field.forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    else if (!isWatch && options.continue !== '')
      errors.push(
        field.forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden when continue is provided'),
      );
    else if (match === 'Exact' && resourceVersion === '0')
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

/** A resourceVersion as a number; clients may only hand back what they got. */
export function parseResourceVersion(text: string): number {
  if (!/^\d{1,16}$/.test(text))
    throw invalid('meta.k8s.io', 'ListOptions', '', [
      field.invalid('resourceVersion', text, 'must be a number that this server gave out'),
    ]);
  return Number(text);
}
