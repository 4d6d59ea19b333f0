import { badRequest, field, invalid, type Schema } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { RequestBody } from '@vireo/kube';
import { parse } from 'yaml';
import { typeMismatch } from '../schemaTypes.ts';

/** The body as a JSON value; undefined when there is none. JSON and YAML are taken. */
export function parseBody(body: RequestBody | undefined): unknown {
  if (!body) return undefined;
  if ('value' in body) return body.value;
  const text = body.bytes.toString('utf8');
  if (text.trim() === '') return undefined;
  try {
    return /ya?ml/.test(body.contentType) ? parse(text) : JSON.parse(text);
  } catch (error) {
    throw unreadable((error as Error).message);
  }
}

/** What the field `wrapper` of a body holds, if it is sent in one: `{"addVolumeOptions": {…}}`. */
export function unwrap(value: unknown, wrapper: string | undefined): unknown {
  if (wrapper === undefined || !isObject(value) || value[wrapper] == null) return value;
  const others = Object.keys(value).filter((name) => name !== wrapper);
  if (others.length > 0) throw unreadable(`${others.join(', ')}: no other field is allowed next to ${wrapper}`);
  return value[wrapper];
}

/** The options of an action: an object of the given schema, empty where nothing was sent. Unknown fields are ignored. */
export function readOptions<B>(value: unknown, schema: Schema<B> | undefined): B {
  if (value === undefined || value === null || !schema) return {} as B;
  const wrong = typeMismatch('body', value, schema);
  if (wrong) throw unreadable(wrong);
  return value as B;
}

/** Whether nothing is to be changed. `dryRun` may stand in the body, as KubeVirt's clients send it, or in the query. */
export function isDryRun(options: { readonly dryRun?: unknown }, query: URLSearchParams, kind: string): boolean {
  const values = [...((options.dryRun as string[] | undefined) ?? []), ...query.getAll('dryRun')];
  const wrong = values.filter((value) => value !== 'All');
  if (wrong.length > 0) throw invalid('', kind, '', [field.notSupported('dryRun', wrong, ['All'])]);
  return values.length > 0;
}

const unreadable = (why: string) => badRequest(`Can not unmarshal Request body to struct, error: ${why}`);
