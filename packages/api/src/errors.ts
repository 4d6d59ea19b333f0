/**
 * The error catalogue: every refusal of the server is a Kubernetes `Status`, made here, with the reason, code and wording
 * that clients parse. Clients get the same class back (`ApiError.from`).
 */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: {
    /** Of a list that has become too old: where to go on all the same. */
    continue?: string;
  };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  code: number;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

const CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  ServerTimeout: 500,
} as const;

export type StatusReason = keyof typeof CODES;

export class ApiError extends Error {
  readonly status: Status;

  /** What the client is warned of beside the refusal. */
  warnings: readonly string[] = [];

  constructor(reason: StatusReason | undefined, message: string, details?: StatusDetails, code?: number) {
    super(message);
    this.name = 'ApiError';
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason && { reason }),
      ...(details && { details }),
      code: code ?? (reason ? CODES[reason] : 500),
    };
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): StatusReason | undefined {
    return this.status.reason;
  }

  /** What a server answered, as an error. Anything that is not a Status keeps its text. */
  static from(code: number, body: unknown): ApiError {
    if (isStatus(body))
      return new ApiError(body.reason, body.message ?? `HTTP ${code}`, body.details, body.code ?? code);
    const text = typeof body === 'string' && body !== '' ? body : `the server answered with HTTP ${code}`;
    if (code === 404) return new ApiError('NotFound', text === PAGE_NOT_FOUND ? UNKNOWN_RESOURCE : text, {});
    return new ApiError(undefined, text, undefined, code);
  }
}

/** What a path that nobody serves answers, as plain text. */
export const PAGE_NOT_FOUND = '404 page not found\n';
const UNKNOWN_RESOURCE = 'the server could not find the requested resource';

export const isStatus = (value: unknown): value is Status =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Status';

/** Whether `error` is an ApiError of one of the given reasons. */
export const isReason = (error: unknown, ...reasons: StatusReason[]): error is ApiError =>
  error instanceof ApiError && error.reason !== undefined && reasons.includes(error.reason);

/** A resource as messages name it: `pods`, `leases.coordination.k8s.io`. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

const resourceName = ({ group, resource }: GroupResource): string => (group ? `${resource}.${group}` : resource);
const detailsOf = ({ group, resource }: GroupResource, name?: string): StatusDetails => ({
  ...(name && { name }),
  ...(group && { group }),
  kind: resource,
});

export const notFound = (of: GroupResource, name: string): ApiError =>
  new ApiError('NotFound', `${resourceName(of)} "${name}" not found`, detailsOf(of, name));

/** The path itself is unknown. */
export const pathNotFound = (): ApiError => new ApiError('NotFound', UNKNOWN_RESOURCE, {});

export const alreadyExists = (of: GroupResource, name: string): ApiError =>
  new ApiError('AlreadyExists', `${resourceName(of)} "${name}" already exists`, detailsOf(of, name));

export const conflict = (of: GroupResource, name: string, why: string): ApiError =>
  new ApiError(
    'Conflict',
    `Operation cannot be fulfilled on ${resourceName(of)} "${name}": ${why}`,
    detailsOf(of, name),
  );

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export const forbidden = (of: GroupResource, name: string, why: string): ApiError =>
  new ApiError(
    'Forbidden',
    name ? `${resourceName(of)} "${name}" is forbidden: ${why}` : `${resourceName(of)} is forbidden: ${why}`,
    detailsOf(of, name),
  );

export const unauthorized = (message = 'Unauthorized'): ApiError => new ApiError('Unauthorized', message);

export const badRequest = (message: string): ApiError => new ApiError('BadRequest', message);

export const methodNotAllowed = (of: GroupResource, verb: string): ApiError =>
  new ApiError(
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind "${resourceName(of)}"`,
    detailsOf(of),
  );

/** The path is known, but not with this method. */
export const pathMethodNotAllowed = (): ApiError =>
  new ApiError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const notAcceptable = (accepted: readonly string[]): ApiError =>
  new ApiError('NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  new ApiError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const tooLarge = (limitBytes: number): ApiError =>
  new ApiError('RequestEntityTooLarge', `Request entity too large: limit is ${limitBytes}`);

export function expired(message: string, continueToken?: string): ApiError {
  const error = new ApiError('Expired', message);
  if (continueToken !== undefined) error.status.metadata.continue = continueToken;
  return error;
}

export const internalError = (message: string): ApiError =>
  new ApiError('InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

export const unavailable = (message: string): ApiError => new ApiError('ServiceUnavailable', message);

export const tooManyRequests = (message: string, retryAfterSeconds: number, causes?: StatusCause[]): ApiError =>
  new ApiError('TooManyRequests', message, { retryAfterSeconds, ...(causes && { causes }) });

/** One field that is wrong, and how. `toCause` gives the wording of Kubernetes. */
export interface FieldError {
  readonly type:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueNotFound'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    /** Nobody could find out: nothing is known to be wrong with the value. */
    | 'InternalError';
  readonly field: string;
  /** Everything after `field: `. */
  readonly text: string;
}

/** An error whose message is `text` alone, as KubeVirt words them: its clients show it as it is. */
export const fieldError = (path: string, text: string, type: FieldError['type'] = 'FieldValueInvalid'): FieldError => ({
  type,
  field: path,
  text,
});

const quote = (value: unknown): string => {
  if (typeof value === 'number') return goNumber(value);
  if (typeof value === 'object') return escapeHtml(JSON.stringify(value));
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
};

/** Go escapes in objects and lists what could end a script in a page. */
const escapeHtml = (json: string): string =>
  json.replaceAll(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Go writes fractions, and what no int64 holds, with an exponent below 1e-4 and from 1e6 on. */
function goNumber(value: number): string {
  const [mantissa, exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  const isPlain = Number.isInteger(value) ? Math.abs(value) < 2 ** 63 : exponent >= -4 && exponent < 6;
  if (isPlain) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Field errors in Kubernetes' words. Paths are written like `spec.containers[0].name`. */
export const field = {
  required: (path: string, detail = ''): FieldError => ({
    type: 'FieldValueRequired',
    field: path,
    text: detail ? `Required value: ${detail}` : 'Required value',
  }),
  invalid: (path: string, value: unknown, detail: string): FieldError => ({
    type: 'FieldValueInvalid',
    field: path,
    text: `Invalid value: ${quote(value)}: ${detail}`,
  }),
  notSupported: (path: string, value: unknown, supported: readonly string[]): FieldError => ({
    type: 'FieldValueNotSupported',
    field: path,
    text: `Unsupported value: ${quote(value)}: supported values: ${supported.map((v) => JSON.stringify(v)).join(', ')}`,
  }),
  duplicate: (path: string, value: unknown): FieldError => ({
    type: 'FieldValueDuplicate',
    field: path,
    text: `Duplicate value: ${quote(value)}`,
  }),
  forbidden: (path: string, detail: string): FieldError => ({
    type: 'FieldValueForbidden',
    field: path,
    text: `Forbidden: ${detail}`,
  }),
  notFound: (path: string, value: unknown): FieldError => ({
    type: 'FieldValueNotFound',
    field: path,
    text: `Not found: ${quote(value)}`,
  }),
  tooLong: (path: string, maxLength: number): FieldError => ({
    type: 'FieldValueTooLong',
    field: path,
    text:
      maxLength < 0
        ? 'Too long: value is too long'
        : `Too long: may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`,
  }),
  tooMany: (path: string, count: number, most: number): FieldError => ({
    type: 'FieldValueTooMany',
    field: path,
    text: `Too many: ${count}: ${most < 0 ? 'has too many items' : `must have at most ${most} ${most === 1 ? 'item' : 'items'}`}`,
  }),
  typeInvalid: (path: string, value: unknown, detail: string): FieldError => ({
    type: 'FieldValueTypeInvalid',
    field: path,
    text: `Invalid value: ${quote(value)}: ${detail}`,
  }),
};

/** 422 with one cause a field. */
export function invalid(group: string, kind: string, name: string, errors: readonly FieldError[]): ApiError {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.text}`))];
  const summary = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiError('Invalid', `${group ? `${kind}.${group}` : kind} "${name}" is invalid: ${summary}`, {
    ...(name && { name }),
    ...(group && { group }),
    ...(kind && { kind }),
    causes: errors.map(({ type, field: path, text }) => ({ reason: type, message: text, field: path })),
  });
}

/** 422: what a patch makes of an object is not one of its kind. `value` is what is wrong. */
export const invalidPatch = (value: unknown, why: string): ApiError =>
  invalid('', '', '', [field.invalid('patch', typeof value === 'string' ? value : JSON.stringify(value), why)]);
