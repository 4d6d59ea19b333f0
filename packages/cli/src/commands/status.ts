import { join } from 'node:path';
import { isReady } from '../readiness.ts';
import { readServerRecord } from '../serverRecord.ts';

/** What `vireo status` tells about a home. */
export interface Status {
  readonly home: string;
  readonly running: boolean;
  readonly ready: boolean;
  readonly pid?: number;
  readonly port?: number;
  readonly version?: string;
  readonly startedAt?: string;
  readonly kubeconfig?: string;
}

/** Prints whether a server runs on a home and is ready; the exit code says the latter. */
export async function status({ home, output }: { home: string; output: string }): Promise<void> {
  const found = await findStatus(home);
  console.log(output === 'json' ? JSON.stringify(found, undefined, 2) : statusText(found));
  if (!found.ready) process.exitCode = 1;
}

async function findStatus(home: string): Promise<Status> {
  const record = readServerRecord(home);
  if (!record) return { home, running: false, ready: false };
  const { pid, port, version, startedAt } = record;
  const kubeconfig = join(home, 'kubeconfig');
  const ready = port !== undefined && (await isReady(kubeconfig));
  return { home, running: true, ready, pid, port, version, startedAt, kubeconfig };
}

/** The status in words. */
export function statusText(found: Status): string {
  if (!found.running) return `No server runs on ${found.home}. Start one with: vireo up`;
  const rows = [
    ['ready', found.ready ? 'yes' : 'no'],
    ['pid', found.pid],
    ['port', found.port ?? 'not yet'],
    ['version', found.version],
    ['since', found.startedAt],
    ['kubeconfig', found.kubeconfig],
  ];
  return [`A server runs on ${found.home}`, ...rows.map(([name, value]) => `  ${`${name}`.padEnd(12)}${value}`)].join(
    '\n',
  );
}
