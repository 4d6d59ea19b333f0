import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Adapt, writeStore } from '@vireo/apiserver/store/backup.ts';
import { lockStore } from '@vireo/apiserver/store/lock.ts';
import { leftRunning } from '@vireo/node/shutdown/leftRunning.ts';
import { Failure } from '../../failure.ts';
import { makeDirectory } from '../../makeDirectory.ts';
import { readServerRecord } from '../../serverRecord.ts';
import { explainHomeError } from '../../startError.ts';
import { shellWord } from '../readyText.ts';
import { adaptTo, type Changes } from './adapt.ts';
import { type Backup, openBackup } from './format.ts';
import { checkPath, isOfStore, isState } from './homeFiles.ts';
import { hostIdentity } from './hostIdentity.ts';
import { commit, finish, isRestoreUnfinished, newStage } from './journal.ts';
import { markRestored, nodesIn } from './takeOver.ts';
import { restoredText } from './text.ts';

/** Options of `vireo restore`. */
export interface RestoreOptions {
  readonly home: string;
  /** Replace the objects and keys of a home that has some. */
  readonly replace?: boolean;
  /** Leave run strategies as they are, wherever the home is. */
  readonly startVms?: boolean;
  /** The original is gone, and its nodes will be nodes of this server. */
  readonly takeOver?: boolean;
}

/** Makes a home of a backup. Until everything is prepared, nothing of the home changes. */
export async function restore(
  file: string,
  { home, replace = false, startVms = false, takeOver = false }: RestoreOptions,
): Promise<void> {
  const path = resolve(file);
  if (!existsSync(path)) throw new Failure(`there is no backup ${path}`);
  using backup = openBackup(path);
  for (const each of backup.files()) checkPath(each.path);
  await refuseInUse(home);
  const changes: Changes = { haltedVms: 0, pausedSets: 0, leftOutVmis: 0, movedVolumes: 0 };
  const isOwn = backup.about.home === home && backup.about.host === hostIdentity();
  const nodes = nodesIn(backup.objects());
  if (takeOver && startVms)
    throw new Failure('--take-over and --start-vms exclude each other', 'VMs start when you confirm it: vireo orphans');
  const moved = isOwn || takeOver ? undefined : { home, startVms, changes };
  const adapt = adaptation(moved, backup, takeOver || nodes.length > 1);
  try {
    makeDirectory(home);
    if (!isRestoreUnfinished(home)) refuseReplacing(home, replace);
    const lock = lockStore(join(home, 'store.db'));
    try {
      // One that was cut short comes first: the home is what that made of it.
      if (isRestoreUnfinished(home)) finish(home);
      refuseReplacing(home, replace);
      const stage = newStage(home);
      using _ = droppingUnlessCommitted(home);
      prepare(stage, backup, adapt);
      const journal = commit(home, { old: replaceable(home), new: readdirSync(stage) }, new Date());
      finish(home);
      console.log(restoredText({ about: backup.about, home, isOwn, takeOver, nodes, startVms, changes, journal }));
    } finally {
      lock.release();
    }
  } catch (error) {
    if ((error as Error).name === 'StoreLocked') throw inUse(home, (error as Error).message);
    throw explainHomeError(error, home);
  }
}

/** What was prepared in vain does not stay. What was committed is finished; there is nothing left to do then. */
const droppingUnlessCommitted = (home: string): Disposable => ({
  [Symbol.dispose]: () => {
    if (isRestoreUnfinished(home)) finish(home);
  },
});

async function refuseInUse(home: string): Promise<void> {
  const server = existsSync(home) ? readServerRecord(home) : undefined;
  if (server) throw inUse(home, `its server, with pid ${server.pid}, is running`);
  const { guests } = await leftRunning(home);
  if (guests.length > 0)
    throw inUse(home, `${guests.length === 1 ? 'a guest is' : `${guests.length} guests are`} running`);
}

const inUse = (home: string, why: string): Failure =>
  new Failure(
    `the home ${home} is in use: ${why}`,
    `To stop it: vireo down --home ${shellWord(home)}. To restore beside it: --home DIRECTORY`,
  );

/** What a restore would move away; the lock is this process's own. */
const replaceable = (home: string): string[] =>
  readdirSync(home).filter((name) => isState(name) || (isOfStore(name) && !/\.(lock|pid)/.test(name)));

function refuseReplacing(home: string, replace: boolean): void {
  if (replace || replaceable(home).length === 0) return;
  throw new Failure(
    `the home ${home} is not empty`,
    'To restore into another one: --home DIRECTORY. To replace its objects and keys: --replace. What is replaced is ' +
      'kept in a directory of the home, and the data of VMs stays as it is.',
  );
}

interface Moved {
  readonly home: string;
  readonly startVms: boolean;
  readonly changes: Changes;
}

/** What becomes of the objects on the way: those of a copy stop, and those of a server with nodes hold still. */
function adaptation(moved: Moved | undefined, { about }: Backup, hasNodes: boolean): Adapt {
  if (moved) return adaptTo({ from: about.home, to: moved.home, startVms: moved.startVms }, moved.changes);
  return hasNodes ? markRestored(about.createdAt, new Date().toISOString()) : () => 'same';
}

/** Writes everything that a backup has below `stage`, durably. */
function prepare(stage: string, backup: Backup, adapt: Adapt): void {
  for (const { path, mode, bytes } of backup.files()) {
    mkdirSync(dirname(join(stage, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(stage, path), bytes, { mode: mode & 0o700, flush: true, flag: 'wx' });
  }
  const store = join(stage, 'store.db');
  // SQLite gives its side files the mode of the database.
  writeFileSync(store, '', { mode: 0o600, flag: 'wx' });
  writeStore(store, backup.objects(), backup.about.revision, adapt);
}
