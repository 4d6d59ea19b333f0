import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginReport } from '@vireo/hypervisor/plugins/load.ts';
import { errorCode, Failure } from './failure.ts';
import { processIdentity } from './processIdentity.ts';
import { version } from './version.ts';

/** A node of the cluster of another server. */
export interface JoinedNode {
  readonly name: string;
  /** The API server of its cluster. */
  readonly server: string;
  /** Where the cluster reaches it. */
  readonly address: string;
}

/** What a running server leaves in its home, so that `status` and `down` find it. */
export interface ServerRecord {
  readonly pid: number;
  /** Of the process, so that a number taken over by another is not mistaken for ours. */
  readonly identity: string;
  readonly version: string;
  readonly startedAt: string;
  /** Unknown until the server listens. */
  readonly port?: number;
  /** Set where it is the node of another server's cluster. */
  readonly node?: JoinedNode;
  /** The name of the node that the server itself is. */
  readonly ownNode?: string;
  /** Whether it runs no VMs. */
  readonly apiOnly?: boolean;
  /** What became of the packages that were in its list of hypervisors when it started. */
  readonly plugins?: readonly PluginReport[];
}

/** The record of the server that runs on `home`; undefined when none does, whatever a crash left behind. */
export function readServerRecord(home: string): ServerRecord | undefined {
  const record = parseRecord(readIfThere(recordFile(home)));
  return record && processIdentity(record.pid) === record.identity ? record : undefined;
}

/** What is known of this process before it listens. */
export function ownRecord(): ServerRecord {
  const identity = processIdentity(process.pid);
  if (identity === undefined) throw new Failure('/proc cannot be read', 'Vireo runs on Linux and needs /proc.');
  return { pid: process.pid, identity, version, startedAt: new Date().toISOString() };
}

/** Writes the record of this process; whoever reads sees the old one or the new one, never a part. */
export function writeServerRecord(home: string, record: ServerRecord): void {
  const file = recordFile(home);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Removes the record of this process; another server's stays. */
export function removeServerRecord(home: string): void {
  if (readServerRecord(home)?.pid === process.pid) rmSync(recordFile(home), { force: true });
}

const recordFile = (home: string): string => join(home, 'server.json');

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function parseRecord(text: string | undefined): ServerRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is ServerRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    Number.isInteger(value.pid) &&
    'identity' in value &&
    typeof value.identity === 'string'
  );
}
