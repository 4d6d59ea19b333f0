import { ApiError, isDeleting, type Namespace, type Persisted, type Pod } from '@vireo/api';
import type { JsonObject } from '@vireo/api/json.ts';
import { FOUND_BACKUP, type HarvesterBackup, isOnTarget } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';
import { type BackupStore, backupPrefix, Damaged, listBackups, readBackup } from '@vireo/backup';
import { asBackupDocument, type BackupDocument } from '../vmbackup/document.ts';
import { prefixOf } from '../vmbackup/prefix.ts';
import { foundStatus, isDataMissing, missingStatus } from '../vmbackup/status.ts';
import type { BackupTargetActions } from './act.ts';
import { type CurrentTarget, placeOf, type UsableTarget } from './currentTarget.ts';

export interface SyncParts {
  readonly act: BackupTargetActions;
  readonly current: CurrentTarget;
  /** The backups that the cluster knows. */
  readonly backups: () => readonly Persisted<HarvesterBackup>[];
  /** The pods that nodes work for. */
  readonly workers: () => readonly Persisted<Pod>[];
  readonly namespace: (name: string) => Persisted<Namespace> | undefined;
  readonly now: () => Date;
}

/** The backups of a namespace that are at a target. */
export interface FoundNamespace {
  readonly count: number;
  /** Of the namespace when the backups were made known. Undefined: there was none, so they were not. */
  readonly uid: string | undefined;
}

/** What has come of looking at a target. */
export interface SyncResult {
  /** What cannot be read or made known, and why. */
  readonly problems: readonly string[];
  readonly namespaces: ReadonlyMap<string, FoundNamespace>;
  /** False: the server has failed at something, which may pass. */
  readonly isComplete: boolean;
}

/** More are not made known: whoever can write to a target could fill the server. */
const MOST_BACKUPS = 10_000;

/**
 * Brings the backups that the cluster knows in line with those at the target: others may have made some, and removed
 * some. What is wrong with one of them is no matter to the others.
 */
export async function syncBackups(usable: UsableTarget, parts: SyncParts): Promise<SyncResult> {
  const { store } = usable;
  const seen = new Set<string>();
  const problems: string[] = [];
  const namespaces = new Map<string, FoundNamespace>();
  let isComplete = true;
  for await (const each of listBackups(store)) {
    if (seen.size === MOST_BACKUPS) {
      problems.push(`${store.description} has more than ${MOST_BACKUPS} backups: the others are not made known`);
      break;
    }
    seen.add(each.prefix);
    const document = 'error' in each ? undefined : documentAt(each.prefix, each.document);
    if (!document) {
      const why = `${each.prefix} in ${store.description} is no backup of a VM`;
      problems.push('error' in each ? each.error.message : why);
      continue;
    }
    const { namespace } = document.metadata;
    const uid = usableUid(parts.namespace(namespace));
    namespaces.set(namespace, { uid, count: (namespaces.get(namespace)?.count ?? 0) + 1 });
    if (uid === undefined) continue;
    try {
      await adopt(document, usable, parts);
    } catch (error) {
      // What is nested too deeply to be sent is a RangeError.
      if (!(error instanceof ApiError) && !(error instanceof RangeError)) throw error;
      problems.push(`${each.prefix} in ${store.description} cannot be made known: ${error.message}`);
      isComplete &&= isRefusal(error);
    }
  }
  await sayMissing(usable, seen, parts);
  return { problems, namespaces, isComplete };
}

/** Says of backups whose data was at the target that it is not there any more. */
async function sayMissing({ store }: UsableTarget, seen: ReadonlySet<string>, parts: SyncParts): Promise<void> {
  const { act, backups, current, now } = parts;
  for (const backup of backups()) {
    const prefix = prefixOf(backup);
    const isElsewhere = !isOnTarget(backup) || current.holding(backup.status?.backupTarget) === undefined;
    if (isElsewhere || !backup.status?.readyToUse || isDeleting(backup) || !prefix || seen.has(prefix)) continue;
    // It may have been finished after the others were listed.
    if (await isThere(store, prefix)) continue;
    await act.writeBackupStatus(backup, missingStatus(backup, store.description, now()));
  }
}

/** Whether a backup is there, which it is if it is damaged. */
const isThere = async (store: BackupStore, prefix: string): Promise<boolean> => {
  try {
    return (await readBackup(store, prefix)) !== undefined;
  } catch (error) {
    if (error instanceof Damaged) return true;
    throw error;
  }
};

/** By what a namespace is known that can be used; undefined where there is none. */
export const usableUid = (namespace: Persisted<Namespace> | undefined): string | undefined =>
  namespace && !isDeleting(namespace) ? namespace.metadata.uid : undefined;

/** Whether the server would say the same again. */
const isRefusal = (error: Error): boolean =>
  !(error instanceof ApiError) || [400, 403, 404, 413, 422].includes(error.code);

/** What was read below a prefix, if it is what belongs there. */
function documentAt(prefix: string, read: JsonObject): BackupDocument | undefined {
  const document = asBackupDocument(read);
  if (!document) return undefined;
  const { namespace, name } = document.metadata;
  const isNamed = dnsLabel(namespace).length === 0 && dnsSubdomain(name).length === 0;
  const isThere = prefix === backupPrefix({ namespace, name, uid: document.status.sourceUID ?? '' });
  return isNamed && isThere ? document : undefined;
}

/** Makes known what was found, or says again of it that it is there. */
async function adopt(document: BackupDocument, { target }: UsableTarget, parts: SyncParts): Promise<void> {
  const { act, now } = parts;
  const { namespace, name } = document.metadata;
  const known = parts.backups().find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  if (known) {
    const isSame = known.status?.sourceUID === document.status.sourceUID;
    const isUnsaid = known.status === undefined && known.metadata.annotations?.[FOUND_BACKUP] !== undefined;
    // One that is being made or removed is not to be meddled with; another of that name stays what it is.
    if ((isUnsaid || (isSame && isDataMissing(known))) && !isDeleting(known))
      await act.writeBackupStatus(known, foundStatus(document, placeOf(target), now()));
    return;
  }
  const created = await act.createBackup({
    // Nothing else of its metadata is believed: owners and finalizers would be those of another cluster.
    metadata: { namespace, name, annotations: { [FOUND_BACKUP]: 'true' } },
    spec: { ...document.spec, type: 'backup' },
  });
  if (!created) return;
  try {
    await act.writeBackupStatus(created, foundStatus(document, placeOf(target), now()));
  } catch (error) {
    // Without its status nobody could tell what it is.
    if (isRefusal(error as Error)) await act.deleteBackup(created);
    throw error;
  }
}
