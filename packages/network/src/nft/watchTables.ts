import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from '../run.ts';

export interface TableWatch {
  /** Our tables, such as `inet vireo0`. */
  readonly tables: readonly string[];
  /** Some of our tables are gone: somebody has flushed all rules. */
  readonly onLost: (lost: readonly string[]) => Promise<void>;
  /** Tables of others have come or gone. */
  readonly onOthers?: () => void;
  readonly onError: (error: unknown) => void;
}

/** For nft to listen; what happens before is found by looking. */
const START_MS = 1_000;
/** After a monitor has ended that should not have. */
const RESTART_MS = 5_000;

/**
 * Notices when somebody loses our tables, until `signal` aborts: `nft flush ruleset`, with which every restart of the service
 * nftables begins, takes them along. `nft monitor` costs nothing while no table comes or goes, and tells at once.
 */
export async function watchTables(watch: TableWatch, signal: AbortSignal): Promise<void> {
  const { tables, onOthers, onError } = watch;
  const check = inTurn(() => findLost(watch).catch(onError));
  const ours = new Set(tables.flatMap((table) => [`add table ${table}`, `delete table ${table}`]));
  while (!signal.aborted) {
    // It ends with us, however we end.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'nft', 'monitor', 'tables'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      // Events that were lost may have been ours.
      if (ours.has(line) || line.startsWith('#')) check();
      else onOthers?.();
    });
    const started = setTimeout(check, START_MS);
    const end = await once(child, 'close').catch((error: unknown) => [error]);
    clearTimeout(started);
    if (signal.aborted) return;
    onError(new Error(`nft monitor has ended: ${stderr.trim() || end[0]}`));
    await delay(RESTART_MS, undefined, { signal }).catch(() => {});
  }
}

/** Our own reloads show as tables that go and come: what counts is what is there. */
async function findLost({ tables, onLost }: TableWatch): Promise<void> {
  const there = new Set((await run('nft', ['list', 'tables'])).split('\n'));
  const lost = tables.filter((table) => !there.has(`table ${table}`));
  if (lost.length > 0) await onLost(lost);
}

/** Calls that come while one runs become one more. */
function inTurn(task: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await task();
    }
    isRunning = false;
  };
}
