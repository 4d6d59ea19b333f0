import type { ChildProcess } from 'node:child_process';
import https from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../load/connection.ts';

/** A way to run a Kubernetes API server: ours, or the original. */
export interface ServerKind {
  readonly name: string;
  /** Starts it on a directory, where it keeps everything, and resolves when it is ready. */
  start(directory: string): Promise<MeasuredServer>;
}

export interface MeasuredServer {
  readonly endpoint: Endpoint;
  /** All processes that belong to it. */
  readonly pids: readonly number[];
  /** From the start of the first process until /readyz said 200. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

const POLL_MS = 5;
const READY_TIMEOUT_MS = 60_000;

/** Resolves when /readyz answers 200; rejects with what the process printed when it ends instead. */
export async function untilReady(port: number, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while ((await statusOf(port)) !== 200) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline)
      throw new Error(`${child.spawnfile} did not become ready:\n${output()}`);
    await sleep(POLL_MS);
  }
}

/** The status of /readyz; 0 when nobody answers. */
function statusOf(port: number): Promise<number> {
  return new Promise((resolve) => {
    // Whose certificate it is cannot be checked yet: the server is only about to make it.
    const request = https.get({ port, host: '127.0.0.1', path: '/readyz', rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    request.on('error', () => resolve(0));
  });
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Collects what a process prints, to be shown if it fails. */
export function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-2_000);
    });
  }
  return () => text;
}

/** The administrator's way in, from the certificates below `pki`. */
export const endpointOf = (port: number, pki: string): Endpoint => ({
  port,
  ca: `${pki}/ca.crt`,
  certificate: `${pki}/admin.crt`,
  key: `${pki}/admin.key`,
});
