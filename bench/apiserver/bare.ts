import type { BareTasks } from '../baseline/bareServer.ts';
import type { Endpoint } from '../load/connection.ts';
import { startTasks, type TaskProcess } from '../processes.ts';
import type { Bench } from './bench.ts';

export interface Bare {
  readonly endpoint: Endpoint;
  readonly process: TaskProcess<BareTasks>;
}

/** A bare server with the certificates of the measured one, so that TLS costs both the same. */
export async function startBare(bench: Bench, like: Endpoint): Promise<Bare> {
  const process = bench.track(startTasks<BareTasks>(new URL('../baseline/bareServer.ts', import.meta.url)));
  const certificate = like.ca.replace(/ca\.crt$/, 'apiserver.crt');
  const key = like.ca.replace(/ca\.crt$/, 'apiserver.key');
  const port = await process.call('listen', { certificate, key, ca: like.ca });
  return { endpoint: { ...like, port }, process };
}
