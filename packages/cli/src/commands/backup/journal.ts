import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Below a home: what a restore prepares, and the journal that says it is complete. */
const STAGE = '.restore';
const NEW = join(STAGE, 'new');
const JOURNAL = join(STAGE, 'journal.json');
const REPLACED = 'replaced-';

/** What is moved away, what comes in its place, and where to the old goes; all by names of entries of the home. */
export interface Journal {
  readonly old: readonly string[];
  readonly new: readonly string[];
  readonly replaced: string;
}

/** Whether an entry of a home is there because of a restore. */
export const isOfRestore = (name: string): boolean => name === STAGE || name.startsWith(REPLACED);

/** Whether a restore of this home was cut short. */
export const isRestoreUnfinished = (home: string): boolean => existsSync(join(home, STAGE));

/** An empty directory for what a restore prepares. Nothing in it counts before `commit`. */
export function newStage(home: string): string {
  rmSync(join(home, STAGE), { recursive: true, force: true });
  mkdirSync(join(home, STAGE), { mode: 0o700 });
  mkdirSync(join(home, NEW), { mode: 0o700 });
  return join(home, NEW);
}

/** From here on the restore happens, whatever happens to this process: `finish` does what is left of it. */
export function commit(home: string, entries: Omit<Journal, 'replaced'>, now: Date): Journal {
  const replaced = `${REPLACED}${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`;
  const journal: Journal = { ...entries, replaced };
  const draft = join(home, `${JOURNAL}.draft`);
  writeFileSync(draft, JSON.stringify(journal), { mode: 0o600, flush: true });
  syncDirectory(join(home, NEW));
  renameSync(draft, join(home, JOURNAL));
  syncDirectory(join(home, STAGE));
  syncDirectory(home);
  return journal;
}

/**
 * Completes a restore that was committed, and drops one that was not. It can be cut short itself, and called again:
 * what has been moved is where it belongs, and is not looked for twice.
 */
export function finish(home: string): 'finished' | 'dropped' {
  const journal = readJournal(home);
  if (!journal) {
    rmSync(join(home, STAGE), { recursive: true, force: true });
    return 'dropped';
  }
  const replaced = join(home, journal.replaced);
  if (journal.old.length > 0) mkdirSync(replaced, { recursive: true, mode: 0o700 });
  for (const name of journal.old) {
    // Once the old is away, what has its name is the new.
    if (!existsSync(join(replaced, name)) && existsSync(join(home, name)))
      renameSync(join(home, name), join(replaced, name));
  }
  syncDirectory(home);
  for (const name of journal.new) {
    if (existsSync(join(home, NEW, name))) renameSync(join(home, NEW, name), join(home, name));
  }
  syncDirectory(home);
  rmSync(join(home, STAGE), { recursive: true, force: true });
  return 'finished';
}

function readJournal(home: string): Journal | undefined {
  const file = join(home, JOURNAL);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Journal) : undefined;
}

function syncDirectory(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
