import { badRequest, tooLarge, unsupportedMediaType } from '@vireo/api';
import { exceedsDepth, MAX_DEPTH, scanJson } from '@vireo/api/json.ts';
import type { RequestBody } from '@vireo/kube';
import { decodeProtobuf, type SchemaLookup } from '../protobuf/decode.ts';
import { goQuoted } from '../schema/goNames.ts';
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

export interface BodyRules {
  /** Default: 3 MiB. */
  readonly maxBytes?: number;
  /** What the body should be, for the refusal. */
  readonly kind?: string;
  /** The media types that are taken. Default: JSON, YAML and protobuf. */
  readonly types?: readonly string[];
}

/** Reads a body by its media type; none means JSON. Throws 400, 413 or 415 in Kubernetes' words. */
export function decodeBody(body: RequestBody, schemaOf: SchemaLookup, rules: BodyRules = {}): DecodedBody {
  const { maxBytes = 3 * 1024 * 1024, kind, types = BODY_TYPES } = rules;
  const mediaType = mediaTypeOf(body.contentType, types);
  if ('value' in body) {
    if (exceedsDepth(body.value)) throw unrecognizedError('exceeded max depth', kind);
    return { value: body.value, strictErrors: [] };
  }
  if (!types.includes(mediaType)) throw unsupportedMediaType(types);
  if (body.bytes.length > maxBytes) throw tooLarge(maxBytes);
  switch (mediaType) {
    case JSON_TYPE:
      return decodeJson(body.bytes.toString(), kind);
    case YAML_TYPE:
      return decodeYaml(body.bytes, kind);
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

function decodeJson(text: string, kind?: string): DecodedBody {
  const { duplicates, tooDeep } = scanJson(text, MAX_DEPTH);
  if (tooDeep) throw unrecognizedError('exceeded max depth', kind);
  try {
    const value = JSON.parse(text);
    if (duplicates.length === 0) return { value, strictErrors: [] };
    return { value, strictErrors: duplicates.map((path) => `duplicate field ${goQuoted(path)}`), json: text };
  } catch (error) {
    throw unrecognizedError(text.trim() === '' ? 'unexpected end of JSON input' : (error as Error).message, kind);
  }
}

/** JSON is YAML, and is what most clients send as YAML; it is read the quicker and stricter way. */
function decodeYaml(bytes: Buffer, kind?: string): DecodedBody {
  const text = bytes.toString();
  if (text.trimStart().startsWith('{')) {
    try {
      const { value, strictErrors } = decodeJson(text, kind);
      const repeated = strictErrors.length > 0 ? repeatedKeysOfJson(text) : [];
      return { value, strictErrors: yamlErrors(repeated), order: 'keys' };
    } catch {
      // A flow mapping that is not JSON.
    }
  }
  return parseYaml(text);
}

function unrecognizedError(why: string, kind?: string) {
  const reason = `couldn't get version/kind; json parse error: ${why}`;
  return badRequest(kind ? `the object provided is unrecognized (must be of type ${kind}): ${reason}` : reason);
}
