import { type Persisted, tooLarge, type UnknownObject } from '@vireo/api';
import type { Stored } from './store.ts';

/** One version of an object. What comes from disk is bytes only; most objects are never looked into, so parsing waits. */
export class StoredVersion implements Stored {
  readonly key: string;
  readonly revision: number;
  readonly createRevision: number;
  readonly bytes: Buffer;
  #object: Persisted<UnknownObject> | undefined;

  constructor(key: string, revision: number, createRevision: number, bytes: Buffer, object?: Persisted<UnknownObject>) {
    this.key = key;
    this.revision = revision;
    this.createRevision = createRevision;
    this.bytes = bytes;
    this.#object = object;
  }

  /** The same without the parsed object, which takes several times the room of its bytes: for what is rarely read. */
  static light({ key, revision, createRevision, bytes }: Stored): Stored {
    return new StoredVersion(key, revision, createRevision, bytes);
  }

  get object(): Persisted<UnknownObject> {
    this.#object ??= deepFreeze(JSON.parse(this.bytes.toString()) as Persisted<UnknownObject>);
    return this.#object;
  }
}

/** Freezes and encodes what `make` returned for a write: by then it has a name, a uid and this version. */
export function newVersion(key: string, revision: number, createRevision: number, object: UnknownObject): Stored {
  if (object.metadata.resourceVersion !== String(revision)) {
    throw new TypeError(
      `${key}: metadata.resourceVersion is ${object.metadata.resourceVersion}, but the write has revision ${revision}`,
    );
  }
  return new StoredVersion(
    key,
    revision,
    createRevision,
    encode(object),
    deepFreeze(object as Persisted<UnknownObject>),
  );
}

/** The last version of a deleted object: as it was, at the revision of its deletion. */
export function deletedVersion(last: Stored, revision: number): Stored {
  const metadata = { ...last.object.metadata, resourceVersion: String(revision) };
  return newVersion(last.key, revision, last.createRevision, { ...last.object, metadata });
}

/** Kind and version first, as Kubernetes writes them: a list of one kind leaves them out by skipping a few bytes. */
export function toJson(object: UnknownObject): string {
  const { kind, apiVersion, ...rest } = object;
  return JSON.stringify({ kind, apiVersion, ...rest });
}

/** Bodies have at most 3 MiB; what makes more of them, such as policies that copy, ends here. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Not from Buffer's pool: these bytes live long, and one of them would hold the whole pool page. */
function encode(object: UnknownObject): Buffer {
  const text = toJson(object);
  const length = Buffer.byteLength(text);
  if (length > MAX_BYTES) throw tooLarge(MAX_BYTES);
  const bytes = Buffer.allocUnsafeSlow(length);
  bytes.write(text);
  return bytes;
}

/** Freezes a JSON tree. A node that is frozen already is taken to be frozen all the way down: it came from here. */
export function deepFreeze<T>(tree: T): T {
  if (typeof tree !== 'object' || tree === null || Object.isFrozen(tree)) return tree;
  Object.freeze(tree);
  if (Array.isArray(tree)) for (const item of tree) deepFreeze(item);
  else for (const field in tree) deepFreeze(tree[field]);
  return tree;
}
