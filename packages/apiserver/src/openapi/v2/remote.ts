import { deepEqual } from '@vireo/api/json.ts';
import type { Aggregation } from '../../aggregation/aggregation.ts';
import type { RemoteApi } from '../../aggregation/apiService.ts';
import { askServer } from '../../aggregation/askServer.ts';
import { Remembered } from '../../aggregation/remembered.ts';
import { type Entry, entryOf, type List } from './entries.ts';
import type { Part } from './parts.ts';

type Json = Record<string, unknown>;

/** What an aggregated server documents in version 2. */
export interface RemoteSwagger {
  readonly paths: Json;
  readonly definitions: Json;
  readonly parameters: Json;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOr = (value: unknown): Json => (isObject(value) ? value : {});

/** The paths of one group-version, and no more than the definitions and parameters that they lead to. */
function swaggerOf(body: unknown, { group, version }: Pick<RemoteApi, 'group' | 'version'>): RemoteSwagger {
  const document = objectOr(body);
  const below = `/apis/${group}/${version}/`;
  const paths = Object.fromEntries(
    Object.entries(objectOr(document.paths)).filter(([path]) => path === below || path.startsWith(below)),
  );
  const found: RemoteSwagger = { paths, definitions: {}, parameters: {} };
  const open: unknown[] = [paths];
  for (let value = open.pop(); value !== undefined; value = open.pop())
    for (const [list, name] of referencesIn(value)) {
      const target = objectOr(document[list])[name];
      if (target === undefined || Object.hasOwn(found[list], name)) continue;
      found[list][name] = target;
      open.push(target);
    }
  return found;
}

/** The documentation of all aggregated servers, as they gave it last. */
export const rememberedSwagger = (aggregation: Aggregation): Remembered<RemoteSwagger> =>
  new Remembered(aggregation, async (api, etag) => {
    const headers = { accept: 'application/json', ...(etag !== undefined && { 'if-none-match': etag }) };
    const document = await askServer(aggregation, api, '/openapi/v2', headers);
    if (document.status === 304) return undefined;
    if (document.status !== 200) throw new Error(`/openapi/v2: HTTP ${document.status}`);
    return { value: swaggerOf(document.body, api), ...(document.etag !== undefined && { etag: document.etag }) };
  });

/**
 * Adds a server's documentation to the parts that are there already. A name that means something else there gets a
 * number; Kubernetes' own names always mean the same.
 */
export function remotePart(remote: RemoteSwagger, parts: readonly Part[]): Part {
  const existing = new Map(
    parts.flatMap(({ definitions }) => definitions.map((entry) => [entry.name, entry] as const)),
  );
  const isTaken = (name: string, value: unknown): boolean => {
    const entry = existing.get(name);
    return entry !== undefined && !name.startsWith('io.k8s.') && !deepEqual(valueIn(entry), value);
  };
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(remote.definitions)) {
    let chosen = name;
    for (let number = 2; isTaken(chosen, value); number++) chosen = `${name}_v${number}`;
    names.set(name, chosen);
  }
  const entries = (list: List, rename = (name: string) => name): Entry[] =>
    Object.entries(remote[list]).flatMap(([name, value]) =>
      writable(entryOf(list, rename(name), renamed(value, names))),
    );
  return {
    paths: entries('paths'),
    definitions: entries('definitions', (name) => names.get(name) ?? name),
    parameters: entries('parameters'),
  };
}

/** Others may have sent what cannot be written in every form; the rest of the document must stay readable. */
function writable(entry: Entry): Entry[] {
  try {
    entry.bytes('protobuf');
    return [entry];
  } catch {
    return [];
  }
}

const valueIn = (entry: Entry): unknown => (JSON.parse(`{${entry.bytes('json')}}`) as Json)[entry.name];

const REFERENCE = /^#\/(definitions|parameters)\/(.+)$/;

function* referencesIn(value: unknown): Generator<['definitions' | 'parameters', string]> {
  if (Array.isArray(value)) for (const each of value) yield* referencesIn(each);
  else if (isObject(value))
    for (const [key, each] of Object.entries(value)) {
      const [, list, name] = (key === '$ref' && typeof each === 'string' && REFERENCE.exec(each)) || [];
      if (list && name) yield [list as 'definitions' | 'parameters', name];
      else yield* referencesIn(each);
    }
}

function renamed(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const name = key === '$ref' && typeof each === 'string' ? /^#\/definitions\/(.+)$/.exec(each)?.[1] : undefined;
      return [key, name === undefined ? renamed(each, names) : `#/definitions/${names.get(name) ?? name}`];
    }),
  );
}
