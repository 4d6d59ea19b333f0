import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '@vireo/api/json.ts';
import { type BackupStore, Damaged } from './store.ts';

/**
 * A backup is everything below `v1/<namespace>/<name>-<uid>/`. What makes it one is `backup.json`, which is written last
 * and deleted first. `begun.json` says which home has begun it, so that others leave alone what is not finished.
 */

const VERSION = 1;
const ROOT = `v${VERSION}/`;
const DOCUMENT = 'backup.json';
const BEGUN = 'begun.json';
const VOLUMES = 'volumes/';
/** How large `backup.json` is at most, with all that the VM names. */
const MOST_DOCUMENT_BYTES = 1 << 24;

/** Where a backup is. */
export const backupPrefix = (backup: {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}): string => `${ROOT}${backup.namespace}/${backup.name}-${backup.uid}/`;

/** Where a volume of a backup is. */
export const volumePrefix = (prefix: string, volume: string): string => `${prefix}${VOLUMES}${volume}/`;

/** Where the backup of a volume is. */
export const prefixOfVolume = (prefix: string): string => `${prefix.split('/').slice(0, 3).join('/')}/`;

/** The namespace that the prefix of a backup names. */
export const namespaceOf = (prefix: string): string => prefix.split('/')[1] ?? '';

/** Says that a home begins a backup. Comes before all that belongs to the backup. */
export const beginBackup = (store: BackupStore, prefix: string, { home }: { readonly home: string }): Promise<void> =>
  store.put(prefix + BEGUN, Buffer.from(JSON.stringify({ home })));

/** Makes a backup of what was written. `document`: all that it takes to restore it. */
export async function commitBackup(store: BackupStore, prefix: string, document: JsonObject): Promise<void> {
  const text = JSON.stringify(document);
  const bytes = Buffer.from(JSON.stringify({ version: VERSION, sha256: digestOf(text), document: text }));
  if (bytes.length > MOST_DOCUMENT_BYTES)
    throw new Error(
      `${prefix}${DOCUMENT} would have ${bytes.length} bytes, but at most ${MOST_DOCUMENT_BYTES} can be restored: ` +
        'have the VM name fewer or smaller Secrets and ConfigMaps',
    );
  await store.put(prefix + DOCUMENT, bytes);
}

/** The document of a backup; undefined where there is no backup. Throws `Damaged` for one that cannot be read. */
export async function readBackup(store: BackupStore, prefix: string): Promise<JsonObject | undefined> {
  const bytes = await store.get(prefix + DOCUMENT, MOST_DOCUMENT_BYTES);
  if (bytes === undefined) return undefined;
  const { version, sha256, document } = parse(bytes.toString()) ?? {};
  const damaged = (why: string): Damaged => new Damaged(`${prefix}${DOCUMENT} in ${store.description} ${why}`);
  if (typeof version === 'number' && version > VERSION)
    throw damaged(`has version ${version}, which a newer Vireo has written`);
  if (typeof document !== 'string' || digestOf(document) !== sha256)
    throw damaged('is damaged: its data does not match its digest');
  const read = parse(document);
  if (!read) throw damaged('has no JSON object');
  return read;
}

/** A backup at the target, or why it cannot be read. */
export type FoundBackup = { readonly prefix: string } & (
  | { readonly document: JsonObject }
  | { readonly error: Damaged }
);

/** All backups at a target. */
export async function* listBackups(store: BackupStore): AsyncGenerator<FoundBackup> {
  for await (const prefix of prefixes(store)) {
    try {
      const document = await readBackup(store, prefix);
      if (document) yield { prefix, document };
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      yield { prefix, error };
    }
  }
}

/** Removes a backup, finished or not. What is left when this is interrupted is swept later. */
export async function removeBackup(store: BackupStore, prefix: string): Promise<void> {
  await store.delete(prefix + DOCUMENT);
  for (const name of await store.names(prefix)) {
    if (name.endsWith('/')) await store.deleteAll(prefix + name);
    else if (name !== BEGUN) await store.delete(prefix + name);
  }
  await store.deleteAll(prefix);
}

/**
 * Removes a volume whose backup was removed while the volume was still written. One whose backup is there, or has begun
 * again, is left to those who made it.
 */
export async function discardVolume(store: BackupStore, prefix: string): Promise<void> {
  const backup = prefixOfVolume(prefix);
  for (const name of [BEGUN, DOCUMENT]) if (await store.get(backup + name, MOST_DOCUMENT_BYTES)) return;
  await store.deleteAll(prefix);
}

/** Removes what this home has begun and neither finished nor still works on. Returns the prefixes that were removed. */
export async function sweepUnfinished(
  store: BackupStore,
  { home, isInUse }: { readonly home: string; readonly isInUse: (prefix: string) => boolean },
): Promise<string[]> {
  const removed: string[] = [];
  for await (const prefix of prefixes(store)) {
    if (!isInUse(prefix) && (await removeUnfinished(store, prefix, { home }))) removed.push(prefix);
  }
  return removed;
}

/** Removes a backup that this home has begun and not finished. False: it is none. */
export async function removeUnfinished(
  store: BackupStore,
  prefix: string,
  { home }: { readonly home: string },
): Promise<boolean> {
  const names = await store.names(prefix);
  if (names.includes(DOCUMENT) || !names.includes(BEGUN)) return false;
  if ((await beginnerOf(store, prefix)) !== home) return false;
  await removeBackup(store, prefix);
  return true;
}

/** Which home has begun a backup; undefined where nobody can tell. */
async function beginnerOf(store: BackupStore, prefix: string): Promise<unknown> {
  try {
    return parse((await store.get(prefix + BEGUN))?.toString() ?? '')?.home;
  } catch (error) {
    if (error instanceof Damaged) return undefined;
    throw error;
  }
}

async function* prefixes(store: BackupStore): AsyncGenerator<string> {
  for (const namespace of await directories(store, ROOT))
    for (const backup of await directories(store, namespace)) yield backup;
}

const directories = async (store: BackupStore, prefix: string): Promise<string[]> =>
  (await store.names(prefix)).filter((name) => name.endsWith('/')).map((name) => prefix + name);

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
