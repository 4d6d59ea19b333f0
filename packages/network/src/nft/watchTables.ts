import { setTimeout as delay } from 'node:timers/promises';
import { inTurn, keepMonitor } from '../monitor.ts';
import { isOwnProcess, knowsProcesses } from '../ownProcesses.ts';
import { run } from '../run.ts';

export interface TableWatch {
  /** Our tables, such as `inet vireo0`. */
  readonly tables: readonly string[];
  /** Some of our tables are gone: somebody has flushed all rules. */
  readonly onLost: (lost: readonly string[]) => Promise<void>;
  /** Somebody else has changed rules, chains, sets or elements of our tables. */
  readonly onChanged?: (changed: readonly string[]) => Promise<void>;
  /** Tables of others have come or gone. */
  readonly onOthers?: () => void;
  readonly onError: (error: unknown) => void;
}

/** Until it is known which processes are ours: their changes may be told first. */
const GRACE_MS = 100;
/** Between two repairs: whoever keeps changing our tables must not keep the host busy. Also after one that failed. */
const PAUSE_MS = 1_000;
/** No process has this number. */
const UNKNOWN_PROCESS = 0;

/**
 * Notices when somebody else changes our tables, until `signal` aborts. `nft flush ruleset`, with which every restart of the
 * service nftables begins, takes them along. `nft monitor` tells of each change at once, and which process made it: those of
 * ours cost a look at a few lines. In a PID namespace of its own, Vireo cannot tell them, and notices lost tables only.
 */
export async function watchTables(watch: TableWatch, signal: AbortSignal): Promise<void> {
  const { tables, onChanged, onOthers, onError } = watch;
  const isToldWho = await knowsProcesses();
  const ours = new Set(tables);
  /** Our tables that processes have changed. */
  const changed = new Map<string, Set<number>>();
  const note = (table: string, pid: number): void => {
    changed.set(table, (changed.get(table) ?? new Set()).add(pid));
  };
  /** Whether some may be lost for a reason that is not known. */
  let isLookWanted = false;
  const check = inTurn(async () => {
    await delay(GRACE_MS, undefined, { signal }).catch(() => {});
    const foreign = [...changed].filter(([, pids]) => [...pids].some((pid) => !isOwnProcess(pid)));
    changed.clear();
    const isAsked = isLookWanted || foreign.length > 0;
    isLookWanted = false;
    if (!isAsked || signal.aborted) return;
    try {
      const lost = await findLost(tables);
      const others = foreign.map(([table]) => table).filter((table) => !lost.includes(table));
      if (lost.length > 0) await watch.onLost(lost);
      if (others.length > 0) await onChanged?.(others);
      if (lost.length + others.length > 0) await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      // Guests must not go without rules until something else changes.
      await delay(PAUSE_MS, undefined, { signal }).catch(() => {});
      for (const [table] of foreign) note(table, UNKNOWN_PROCESS);
      look();
    }
  });
  const look = (): void => {
    isLookWanted = true;
    check();
  };
  /** Of the change that is being told. */
  let touched = new Set<string>();
  const onLine = (line: string): void => {
    const event = parseEvent(line);
    if (event.kind === 'change') {
      if (ours.has(event.table)) touched.add(event.table);
      else if (event.isTable) onOthers?.();
    } else if (event.kind === 'unknown') {
      // Events that were lost may have been of our tables.
      look();
    } else {
      const { pid } = event;
      if (touched.size > 0 && (pid === undefined || !isToldWho)) look();
      else if (touched.size > 0 && pid !== undefined && !isOwnProcess(pid)) {
        for (const table of touched) note(table, pid);
        check();
      }
      touched = new Set();
    }
  };
  const onListening = (isAgain: boolean): void => {
    // Nobody knows who did what meanwhile.
    if (isAgain) for (const table of tables) note(table, UNKNOWN_PROCESS);
    look();
  };
  await keepMonitor({ program: 'nft', words: ['monitor'], onLine, onListening, onError }, signal);
}

/** What a line of `nft monitor` says. */
type MonitorEvent =
  | { readonly kind: 'change'; readonly table: string; readonly isTable: boolean }
  /** The end of a change, with the process that made it. */
  | { readonly kind: 'end'; readonly pid: number | undefined }
  | { readonly kind: 'unknown' };

/** Reads a line of `nft monitor`. */
export function parseEvent(line: string): MonitorEvent {
  const end = /^# new generation \d+(?: by process (\d+))?/.exec(line);
  if (end) return { kind: 'end', pid: end[1] === undefined ? undefined : Number(end[1]) };
  const [, what, table] = /^[a-z]+ ([a-z]+) ([a-z0-9]+ \S+)/.exec(line) ?? [];
  return what && table ? { kind: 'change', table, isTable: what === 'table' } : { kind: 'unknown' };
}

/** Our own reloads show as tables that go and come: what counts is what is there. */
async function findLost(tables: readonly string[]): Promise<string[]> {
  const there = new Set((await run('nft', ['list', 'tables'])).split('\n'));
  return tables.filter((table) => !there.has(`table ${table}`));
}
