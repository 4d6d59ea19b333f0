/** What the agent and the dead-man process tell each other, in files of the node's run-time directory. */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the files are. */
export interface DeadManFiles {
  /** Written by the agent. */
  readonly heartbeat: string;
  /** Written by the process: that it lives. */
  readonly tick: string;
  /** Written by the process: which guests it has ended. */
  readonly ended: string;
}

export const deadManFiles = (run: string): DeadManFiles => ({
  heartbeat: join(run, 'dead-man-heartbeat.json'),
  tick: join(run, 'dead-man-tick.json'),
  ended: join(run, 'dead-man-ended.json'),
});

/** The last renewal that the server has acknowledged. */
export interface Heartbeat {
  readonly bootId: string;
  /** When it was sent, on the clock that counts from the start of the host. */
  readonly sentAtMs: number;
  /** How long after that guests may run. */
  readonly stopAfterMs: number;
  /** Nothing is to be ended any more, and the process goes. */
  readonly isDisarmed?: boolean;
}

/** That the process lives, and what it goes by. */
export interface Tick {
  readonly pid: number;
  readonly bootId: string;
  readonly atMs: number;
  readonly sentAtMs: number;
  readonly stopAfterMs: number;
}

/** The guests that the process has ended. */
export interface Ended {
  readonly at: string;
  readonly silentMs: number;
  readonly guests: readonly EndedGuest[];
}

/** A guest that the process has ended. */
export interface EndedGuest {
  /** `namespace/name` of its VMI. */
  readonly key: string;
  /** Of its VMI: another of that name may be started before anybody tells why the first one ended. */
  readonly uid: string;
}

/** What the process does at a moment. */
export type DeadManDecision = 'wait' | 'kill' | 'exit';

/**
 * What follows from the last heartbeat. `isFilePresent`: without its file, as after the removal of the home, the process
 * ends when it has ended the guests.
 */
export function decideDeadMan(
  heartbeat: Heartbeat,
  {
    bootId,
    nowMs,
    isFilePresent,
    guests,
  }: { bootId: string; nowMs: number; isFilePresent: boolean; guests: () => number },
): DeadManDecision {
  if (heartbeat.isDisarmed || heartbeat.bootId !== bootId) return 'exit';
  if (nowMs - heartbeat.sentAtMs < heartbeat.stopAfterMs) return 'wait';
  return !isFilePresent && guests() === 0 ? 'exit' : 'kill';
}

/** Undefined where there is no such file, or none that can be read. */
export function readState<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

/** In one step: whoever reads it sees the old state or the new one. */
export function writeState(path: string, state: Heartbeat | Tick | Ended): void {
  writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
