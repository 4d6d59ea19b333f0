import type { Namespace, Persisted } from '@vireo/api';
import { effectiveValue, type Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { type BackupStore, type BackupTargetSetting, openStore, parseTarget } from '@vireo/backup';
import type { Recorder, Result } from '@vireo/kube';
import { settingStatus, type TargetState } from './status.ts';
import { sweepTarget } from './sweep.ts';
import { type FoundNamespace, type SyncParts, syncBackups, usableUid } from './sync.ts';
import { acceptedId, acceptedMark, showsAppliedKeys, withoutKeys } from './value.ts';

/** When a target that cannot be used is tried again, and one that can is looked at. */
const RETRY_MS = 30_000;
const CHECK_MS = 300_000;
/** How many events tell what is wrong with backups at a target. */
const MOST_EVENTS = 20;

export interface TargetParts extends SyncParts {
  readonly recorder: Recorder;
  /** Where file systems of targets are mounted. */
  readonly runtimeDirectory: string;
  readonly opened: OpenedTarget;
}

/** What is known of the target in use. */
export interface OpenedTarget {
  /** What it was opened with. */
  key?: string;
  /** When it was last compared with what the cluster knows. */
  syncedMs?: number;
  /** What was found there then. */
  namespaces?: ReadonlyMap<string, FoundNamespace>;
}

/** Makes the target that is set the one that is used, says whether that works, and finds the backups of others in it. */
export async function reconcileTarget(setting: Persisted<Setting>, parts: TargetParts): Promise<Result | undefined> {
  const { act, now } = parts;
  const say = (state: TargetState) => act.writeStatus(setting, settingStatus(setting, state, now()));
  const value = effectiveValue(setting);
  let wanted: BackupTargetSetting | undefined;
  try {
    wanted = parseTarget(value);
  } catch (error) {
    await forget(parts, `Setting ${setting.metadata.name} is invalid: ${(error as Error).message}`);
    await say({ is: 'invalid', message: (error as Error).message });
    return undefined;
  }
  if (!wanted) {
    await forget(parts, 'no backup target is set');
    await say({ is: 'notSet' });
    return undefined;
  }
  if (await hideKeys(setting, value, wanted, parts)) return undefined;
  try {
    const marked = await useTarget(setting, wanted, parts);
    if (marked) return undefined;
  } catch (error) {
    await forget(parts, (error as Error).message, wanted);
    await say({ is: 'unusable', message: (error as Error).message });
    return { requeueAfterMs: RETRY_MS };
  }
  const { opened } = parts;
  const configured = await say({ is: 'configured', namespaces: opened.namespaces });
  const result = await syncIfDue(setting, wanted.refreshIntervalInSeconds * 1000, parts);
  const { namespaces } = opened;
  await act.writeStatus(configured, settingStatus(configured, { is: 'configured', namespaces }, now()));
  return result;
}

async function forget({ current, opened }: TargetParts, problem: string, wanted?: BackupTargetSetting): Promise<void> {
  delete opened.key;
  delete opened.namespaces;
  await current.forget(problem, wanted?.target);
}

/** Moves keys from the Setting to the Secret. True: the Setting was written and comes again. */
async function hideKeys(
  setting: Persisted<Setting>,
  value: string,
  { credentials }: BackupTargetSetting,
  { act }: TargetParts,
): Promise<boolean> {
  const hidden = withoutKeys(value);
  if (hidden !== undefined) {
    await act.writeCredentials(credentials);
    await act.hideKeys(setting, hidden);
    return true;
  }
  if (showsAppliedKeys(setting)) {
    await act.hideKeys(setting, value);
    return true;
  }
  const known = credentials.cert === undefined ? undefined : await act.credentials();
  if (known && known.cert !== credentials.cert) await act.writeCredentials({ ...known, cert: credentials.cert });
  return false;
}

/** Opens the target unless it is open. True: it was accepted, which the Setting says now, and comes again for. */
async function useTarget(
  setting: Persisted<Setting>,
  { target }: BackupTargetSetting,
  parts: TargetParts,
): Promise<boolean> {
  const { act, current, opened, recorder, runtimeDirectory } = parts;
  const credentials = await act.credentials();
  const id = acceptedId(setting, target);
  const key = JSON.stringify({ target, id, credentials });
  if (opened.key === key && current.usable) {
    await current.usable.store.check();
    return false;
  }
  const store: BackupStore = await openStore({ ...target, id }, credentials, { runtimeDirectory });
  try {
    if (id === undefined) {
      await act.annotate(setting, acceptedMark(target, await store.accept()));
      await store.close();
      return true;
    }
    await store.check();
    const problem = await sweepTarget(target, store, parts);
    if (problem) recorder.event(setting, 'Warning', 'BackupNotRemoved', problem);
  } catch (error) {
    await store.close();
    throw error;
  }
  await current.use({ target: { ...target, id }, store });
  opened.key = key;
  delete opened.syncedMs;
  delete opened.namespaces;
  return false;
}

async function syncIfDue(setting: Persisted<Setting>, refreshMs: number, parts: TargetParts): Promise<Result> {
  const { current, opened, now, recorder, namespace } = parts;
  const nowMs = now().getTime();
  const isDue =
    opened.syncedMs === undefined ||
    (refreshMs > 0 && nowMs - opened.syncedMs >= refreshMs) ||
    [...(opened.namespaces ?? [])].some(([name, found]) => isNew(found, namespace(name)));
  if (isDue && current.usable) {
    const { problems, namespaces, isComplete } = await syncBackups(current.usable, parts);
    opened.namespaces = namespaces;
    for (const problem of fewOf(problems)) recorder.event(setting, 'Warning', 'BackupUnreadable', problem);
    if (!isComplete) return { requeueAfterMs: RETRY_MS };
    opened.syncedMs = nowMs;
  }
  return { requeueAfterMs: refreshMs > 0 ? Math.min(refreshMs, CHECK_MS) : CHECK_MS };
}

/** Whether a namespace was made after its backups were looked at, so that they can be made known now. */
export function isNew(found: FoundNamespace | undefined, namespace: Persisted<Namespace> | undefined): boolean {
  const uid = usableUid(namespace);
  return found !== undefined && uid !== undefined && uid !== found.uid;
}

/** Enough of the problems to tell what is wrong. */
const fewOf = (problems: readonly string[]): string[] =>
  problems.length > MOST_EVENTS
    ? [...problems.slice(0, MOST_EVENTS - 1), `${problems.length - MOST_EVENTS + 1} others are not as they should be`]
    : [...problems];
