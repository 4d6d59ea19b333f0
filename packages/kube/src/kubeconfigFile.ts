import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

/** One cluster, user or context of a kubeconfig, with the directory that its relative paths start from. */
export interface Entry {
  readonly name: string;
  readonly fields: Fields;
}

/** What a kubeconfig says, still unread: each field is checked where it is used. */
export interface KubeconfigDocument {
  readonly currentContext?: string;
  readonly clusters: readonly Entry[];
  readonly users: readonly Entry[];
  readonly contexts: readonly Entry[];
}

/** Reads one file's text. Messages name the file. */
export function parseKubeconfig(text: string, path: string): KubeconfigDocument {
  let root: unknown;
  try {
    root = parse(text);
  } catch (error) {
    throw new Error(`${path}: not valid YAML: ${(error as Error).message}`, { cause: error });
  }
  const fields = new Fields(root ?? {}, path, '');
  return {
    currentContext: fields.text('current-context'),
    clusters: entries(fields, 'clusters', 'cluster'),
    users: entries(fields, 'users', 'user'),
    contexts: entries(fields, 'contexts', 'context'),
  };
}

/** Several files as one: of two entries with one name, and of two current contexts, the first counts. */
export function mergeKubeconfigs(documents: readonly KubeconfigDocument[]): KubeconfigDocument {
  return {
    currentContext: documents.map(({ currentContext }) => currentContext).find(Boolean),
    clusters: documents.flatMap(({ clusters }) => clusters),
    users: documents.flatMap(({ users }) => users),
    contexts: documents.flatMap(({ contexts }) => contexts),
  };
}

/** The first entry of that name. */
export function findEntry(document: KubeconfigDocument, list: 'clusters' | 'users' | 'contexts', name: string): Fields {
  const entry = document[list].find((candidate) => candidate.name === name);
  if (entry) return entry.fields;
  const known = document[list].map((candidate) => candidate.name).join(', ') || 'none';
  throw new Error(`the kubeconfig has no ${list.slice(0, -1)} named "${name}"; it has: ${known}`);
}

function entries(fields: Fields, list: string, kind: string): Entry[] {
  return fields.list(list).map((entry) => ({ name: entry.requiredText('name'), fields: entry.object(kind) }));
}

/** An object of a kubeconfig, read field by field; what is of the wrong type is refused with its path. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #file: string;
  readonly #path: string;

  constructor(value: unknown, file: string, path: string) {
    this.#file = file;
    this.#path = path;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error(`${file}: ${path || 'the document'} must be an object`);
    this.#values = value as Readonly<Record<string, unknown>>;
  }

  text(name: string): string | undefined {
    const value = this.#own(name);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw this.#wrong(name, 'a string');
    return value;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw this.#wrong(name, 'set');
    return value;
  }

  flag(name: string): boolean {
    const value = this.#own(name) ?? false;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false');
    return value;
  }

  texts(name: string): string[] {
    const value = this.#own(name) ?? [];
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
      throw this.#wrong(name, 'a list of strings');
    return value;
  }

  /** A map from strings to lists of strings. */
  textLists(name: string): Record<string, string[]> {
    const map = this.object(name);
    return Object.fromEntries(Object.keys(map.#values).map((key) => [key, map.texts(key)]));
  }

  list(name: string): Fields[] {
    const value = this.#own(name) ?? [];
    if (!Array.isArray(value)) throw this.#wrong(name, 'a list');
    return value.map((item, index) => new Fields(item, this.#file, `${this.#path}${name}[${index}].`));
  }

  /** The object of that name; empty where it is missing. */
  object(name: string): Fields {
    return new Fields(this.#own(name) ?? {}, this.#file, `${this.#path}${name}.`);
  }

  has(name: string): boolean {
    return this.#own(name) !== undefined && this.#own(name) !== null;
  }

  /** A path, absolute: relative ones start at the directory of the file. */
  path(name: string): string | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : resolve(this.directory, value);
  }

  /** Bytes given as base64. */
  bytes(name: string): Buffer | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : Buffer.from(value, 'base64');
  }

  get directory(): string {
    return dirname(resolve(this.#file));
  }

  error(name: string, problem: string): Error {
    return new Error(`${this.#file}: ${this.#path}${name} ${problem}`);
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  #wrong(name: string, wanted: string): Error {
    return this.error(name, `must be ${wanted}, not ${JSON.stringify(this.#own(name))}`);
  }
}
