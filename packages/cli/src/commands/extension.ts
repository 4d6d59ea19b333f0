import { watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Archives, serveExtension } from '@vireo/extension';
import { Client, consoleLog, httpTransport, loadKubeconfig } from '@vireo/kube';
import { configureLog, type LogFormat, type LogLevel } from '@vireo/kube/log/index.ts';
import { nodesBehind } from '../extension/nodeSocket.ts';
import type { ReadyMessage } from '../extension/supervise.ts';
import { usersBehind } from '../extension/users.ts';
import { stopSignal } from '../stopSignal.ts';
import { hostFiles } from './supportBundle/hostFiles.ts';

/** Options of `vireo extension`. */
export interface ExtensionCommandOptions {
  readonly kubeconfig: string;
  readonly port: number;
  readonly listen?: 'all' | 'local';
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** Where the nodes are reached. */
  readonly nodeSocket: string;
  readonly home: string;
  readonly logFormat?: LogFormat;
  readonly logLevel?: LogLevel;
}

const LOOK_MS = 60_000;

/** Serves admission and the subresources of VMs until it is told to stop, or whoever started it has gone. */
export async function extension(options: ExtensionCommandOptions): Promise<void> {
  const { kubeconfig, port, home } = options;
  configureLog({ format: options.logFormat ?? 'text', level: options.logLevel ?? 'info' });
  const isSupervised = process.send !== undefined;
  const stop = isSupervised ? supervisorsEnd() : stopSignal({ endsWithLauncher: false });
  const config = { ...(await loadKubeconfig({ path: kubeconfig })), userAgent: 'virt-api' };
  const transport = httpTransport(config);
  const users = usersBehind(config);
  const stopping = new AbortController();
  const read = async () => {
    const [cert, key] = await Promise.all(
      [options.tlsCertFile, options.tlsPrivateKeyFile].map((file) => readFile(file, 'utf8')),
    );
    return { cert: cert ?? '', key: key ?? '' };
  };
  const serving = serveExtension(
    {
      client: new Client(transport),
      asUser: users.asUser,
      nodes: nodesBehind(options.nodeSocket),
      support: {
        archives: new Archives(join(home, 'upgradelogs')),
        hostFiles: (problems) => hostFiles(home, problems),
      },
      port,
      ...(options.listen === 'local' && { host: '127.0.0.1' }),
      ...(await read()),
    },
    stopping.signal,
  );
  const served = await Promise.race([serving, stop.then(() => undefined)]);
  // Told to stop before it has seen all objects: a server that ends as well may never show them.
  if (!served) process.exit(0);
  watchFile(options.tlsCertFile, { interval: LOOK_MS, persistent: false }, () => {
    read().then(served.renew, (error: unknown) =>
      consoleLog.error('the certificate cannot be read', undefined, { error }),
    );
  });
  process.send?.({ port: served.port } satisfies ReadyMessage);
  if (!isSupervised) console.log(`The extension listens on port ${served.port}.`);
  await stop;
  stopping.abort();
  await served.close();
  await Promise.all([transport.close(), users.close()]);
  process.exit(0);
}

/** Ctrl-C reaches every process of a terminal; this one ends when the one that started it says so, or is gone. */
function supervisorsEnd(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('disconnect', () => resolve());
  });
}
