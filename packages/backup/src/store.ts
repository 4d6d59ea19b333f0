/**
 * Objects at a target: small files by their keys, such as `v1/shop/nightly-1/backup.json`. A prefix is the beginning of
 * keys up to a `/`, or empty.
 */
export interface BackupStore {
  /** The target in words for users, without credentials. */
  readonly description: string;
  /** Writes an object; when it resolves, the object is there as a whole and outlives a power cut. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined where there is none. One of more bytes (default: `MOST_BYTES`) is none of ours: `Damaged`. */
  get(key: string, mostBytes?: number): Promise<Buffer | undefined>;
  /** All keys with that prefix. */
  list(prefix: string): AsyncIterable<string>;
  /** What follows a prefix directly: `a` for an object, `a/` for more of them. */
  names(prefix: string): Promise<string[]>;
  /** Deletes an object if it is there. */
  delete(key: string): Promise<void>;
  /** Deletes all objects with that prefix. */
  deleteAll(prefix: string): Promise<void>;
  /** Finds out what the target is known by, and gives it an id where it has none. Only controllers do that. */
  accept(): Promise<string>;
  /** Throws what is in the way of reading and writing, and what to do about it. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** How large small objects are at most. Whoever may write to a target could fill our memory otherwise. */
export const MOST_BYTES = 1 << 16;
/** How many names directly below a prefix are read. */
export const MOST_NAMES = 1_000_000;

/** The object with the id of the target. */
export const ID_KEY = 'vireo-backup-target';

/** The target cannot be used as it is; the message says what to do. */
export class TargetUnusable extends Error {
  override readonly name = 'TargetUnusable';
}

/** Something at the target is not what was written there. The message names the object. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/** Whether a name can be a part of a key. Others at the target are none of ours. */
export const isSegment = (name: string): boolean => SEGMENT.test(name) && name.length <= 253;

/** The parts of a key. Throws for one that could lead anywhere else. */
export function segmentsOf(key: string): string[] {
  const segments = key.split('/');
  if (!segments.every(isSegment)) throw new Error(`${JSON.stringify(key)} is no key of an object in a backup`);
  return segments;
}

/** The parts of a prefix, which ends with `/` or is empty. */
export function segmentsOfPrefix(prefix: string): string[] {
  if (prefix === '') return [];
  if (!prefix.endsWith('/')) throw new Error(`prefix ${JSON.stringify(prefix)} does not end with /`);
  return segmentsOf(prefix.slice(0, -1));
}

/** What is wrong where another target than the known one was found; undefined where nothing is. */
export function idProblem(place: string, found: string | undefined, known: string | undefined): string | undefined {
  if (known === undefined)
    return `${place} was not accepted as backup target yet: nothing is written to it before the controller has done so`;
  if (found === known) return undefined;
  if (found === undefined) return `${place} is not the backup target: ${ID_KEY} is missing; is it mounted?`;
  return (
    `${place} is another backup target than the one that was accepted: ${ID_KEY} is ${found}, not ${known}; ` +
    'mount the right one there, or set backup-target again to use this one'
  );
}
