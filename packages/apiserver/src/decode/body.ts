import { type ApiError, badRequest, tooLarge, unsupportedMediaType } from '@vireo/api';
import { exceedsDepth, MAX_DEPTH, scanJson } from '@vireo/api/json.ts';
import type { RequestBody } from '@vireo/kube';
import { decodeProtobuf, type SchemaLookup } from '../protobuf/decode.ts';
import { goQuoted } from '../schema/goNames.ts';
import { goJsonError } from './goJsonError.ts';
import { repeatedKeysOfJson, yamlErrors } from './repeatedKeys.ts';
import { parseYaml } from './yaml.ts';

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
const BODY_TYPES = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

export interface DecodedBody {
  /** Nests at most MAX_DEPTH levels; a value handed over in process comes out as it is. */
  readonly value: unknown;
  /** What a strict reader refuses, such as `duplicate field "spec.x"`. */
  readonly strictErrors: readonly string[];
  /** The text, where fields are given twice in it: it tells in which order things are found. */
  readonly json?: string;
  /** In which order unknown fields are found. Default: as they appear. */
  readonly order?: FieldOrder;
}

/** `keys`: the keys of every object are sorted before it is read. `text`: the messages are sorted. */
export type FieldOrder = 'document' | 'keys' | 'text';

/** What was noticed while a value was read. */
export interface FoundInBody extends Pick<DecodedBody, 'strictErrors' | 'json' | 'order'> {
  /** What was found in a patch before it was applied, and is reported first. */
  readonly before?: readonly string[];
}

export interface BodyRules {
  /** Default: 3 MiB. */
  readonly maxBytes?: number;
  /** The media types that are taken. Default: JSON, YAML and protobuf. */
  readonly types?: readonly string[];
}

/** Reads a body by its media type; none means JSON. Throws 400, 413 or 415 in Kubernetes' words. */
export function decodeBody(body: RequestBody, schemaOf: SchemaLookup, rules: BodyRules = {}): DecodedBody {
  const { maxBytes = 3 * 1024 * 1024, types = BODY_TYPES } = rules;
  const mediaType = mediaTypeOf(body.contentType, types);
  if ('value' in body) {
    if (exceedsDepth(body.value)) throw malformedError('exceeded max depth');
    return { value: body.value, strictErrors: [] };
  }
  if (!types.includes(mediaType)) throw unsupportedMediaType(types);
  if (body.bytes.length > maxBytes) throw tooLarge(maxBytes);
  switch (mediaType) {
    case JSON_TYPE:
      return decodeJson(body.bytes.toString());
    case YAML_TYPE:
      return decodeYaml(body.bytes);
    default:
      return { value: decodeProtobuf(body.bytes, schemaOf), strictErrors: [] };
  }
}

/** The media type without its parameters. Only UTF-8 is read. */
function mediaTypeOf(contentType: string, types: readonly string[]): string {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset && !['utf-8', 'utf8', 'us-ascii'].includes(charset.replaceAll('"', ''))) {
    throw unsupportedMediaType(types);
  }
  return type || JSON_TYPE;
}

/** Reads JSON, and finds what a strict reader refuses in it. */
export function decodeJson(text: string): DecodedBody {
  const { duplicates, tooDeep } = scanJson(text, MAX_DEPTH);
  if (tooDeep) throw malformedError('exceeded max depth');
  try {
    const value = JSON.parse(text);
    if (duplicates.length === 0) return { value, strictErrors: [] };
    return { value, strictErrors: duplicates.map((path) => `duplicate field ${goQuoted(path)}`), json: text };
  } catch (error) {
    throw malformedError(goJsonError(text, error as Error));
  }
}

/** JSON is YAML, and is what most clients send as YAML; it is read the quicker and stricter way. */
function decodeYaml(bytes: Buffer): DecodedBody {
  const text = bytes.toString();
  if (text.trimStart().startsWith('{')) {
    try {
      const { value, strictErrors } = decodeJson(text);
      const repeated = strictErrors.length > 0 ? repeatedKeysOfJson(text) : [];
      return { value, strictErrors: yamlErrors(repeated), order: 'keys' };
    } catch {
      // A flow mapping that is not JSON.
    }
  }
  return parseYaml(text);
}

const malformedError = (why: string): ApiError => badRequest(`${JSON_ERROR}${why}`);

/** How errors of JSON begin where an object is expected. */
export const JSON_ERROR = "couldn't get version/kind; json parse error: ";
const YAML_ERROR = 'error converting YAML to JSON: ';

/** What is said of a body that cannot be read, and should have been of a kind: it begins with what was sent. */
export function unrecognizedBody(kind: string, message: string, body: RequestBody): ApiError {
  const bytes = sentBytes(body);
  const shown = bytes.subarray(0, MAX_SHOWN_BYTES);
  const start = bytes.length === 0 ? '<empty>' : bytes[0] === 0x7b ? shown.toString() : shown.toString('hex');
  const sent = bytes.length > MAX_SHOWN_BYTES ? `${start} ...` : start;
  const why = message.replace(YAML_ERROR, '');
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${sent})`);
}

const sentBytes = (body: RequestBody): Buffer =>
  'bytes' in body ? body.bytes : Buffer.from(JSON.stringify(body.value));

/** The body as it was sent. */
export const sentText = (body: RequestBody): string => sentBytes(body).toString();

const MAX_SHOWN_BYTES = 30;

/** The same of a patch. */
export const undecodablePatch = ({ message }: ApiError): ApiError =>
  badRequest(`error decoding patch: ${message.replace(JSON_ERROR, '')}`);
