import { join } from 'node:path';
import { Archives, USER as EXTENSION, serveExtension } from '@vireo/extension';
import { Client, Metrics, observedTransport } from '@vireo/kube';
import { configureLog, type LogFormat, type LogLevel } from '@vireo/kube/log/index.ts';
import { hostAddress } from '@vireo/kube/serving/hostAddress.ts';
import { keptName } from '../extension/keptName.ts';
import { nodesBehind } from '../extension/nodeSocket.ts';
import { usersBehind } from '../extension/users.ts';
import { Failure } from '../failure.ts';
import { connectRole } from '../roles/connect.ts';
import { stopSignal } from '../stopSignal.ts';
import { version } from '../version.ts';
import { hostFiles } from './supportBundle/hostFiles.ts';

/** Options of `vireo extension`. */
export interface ExtensionCommandOptions {
  readonly kubeconfig?: string;
  readonly home: string;
  readonly port: number;
  readonly listen?: 'all' | 'local';
  /** Where API servers reach this instance. */
  readonly advertiseAddress?: string;
  /** Of the instance. */
  readonly name?: string;
  /** In milliseconds, as is the next. */
  readonly certificateDuration?: number;
  readonly caDuration?: number;
  /** Where nodes of the server's own process are reached. */
  readonly nodeSocket?: string;
  readonly logFormat?: LogFormat;
  readonly logLevel?: LogLevel;
}

/** The first release of Kubernetes whose API server finds aggregated servers by EndpointSlices. */
const READS_SLICES_SINCE = 33;

/** What it says when it can answer, to whoever started it. */
export interface ExtensionReady {
  readonly port: number;
}

/** Serves admission and the subresources of VMs until it is told to stop, or whoever started it has gone. */
export async function extension(options: ExtensionCommandOptions): Promise<void> {
  const { home, port, nodeSocket, certificateDuration: servingMs, caDuration: authorityMs } = options;
  configureLog({ format: options.logFormat ?? 'text', level: options.logLevel ?? 'info' });
  const isSupervised = process.send !== undefined;
  const stop = isSupervised ? supervisorsEnd() : stopSignal({ endsWithLauncher: true });
  const stopping = new AbortController();
  const [, , namespace = '', account = ''] = EXTENSION.username.split(':');
  const connected = await Promise.race([
    connectRole(options, { namespace, name: account }, 'virt-api', stopping.signal),
    stop.then(() => undefined),
  ]);
  // Told to stop before there was a server: it may never come.
  if (!connected) process.exit(0);
  const { config, transport, serverMinor, close } = connected;
  const metrics = new Metrics();
  const users = usersBehind(config);
  const { name, directory, forget } = await keptName(home, port, options.name);
  const { certificateAuthority } = config;
  const serving = serveExtension(
    {
      client: new Client(observedTransport(transport, metrics, new URL(config.server).host)),
      asUser: users.asUser,
      metrics,
      instance: {
        name,
        holder: `${name}_${process.pid}_${Date.now()}`,
        version,
        address: options.advertiseAddress ?? (options.listen === 'local' ? '127.0.0.1' : await hostAddress()),
      },
      directory,
      writesEndpoints: serverMinor < READS_SLICES_SINCE,
      nodeAuthorities: certificateAuthority ? [certificateAuthority.toString()] : [],
      ...(nodeSocket !== undefined && { nodes: nodesBehind(nodeSocket) }),
      support: {
        archives: new Archives(join(home, 'upgradelogs')),
        hostFiles: (problems) => hostFiles(home, problems),
      },
      port,
      ...(options.listen === 'local' && { host: '127.0.0.1' }),
      lifetimes: { ...(servingMs && { servingMs }), ...(authorityMs && lifetimesOf(authorityMs)) },
    },
    stopping.signal,
  );
  const served = await Promise.race([serving, stop.then(() => undefined)]);
  // Told to stop before it has seen all objects: a server that ends as well may never show them.
  if (!served) process.exit(0);
  process.send?.({ port: served.port } satisfies ExtensionReady);
  if (!isSupervised) console.log(`The extension listens on port ${served.port} as instance ${name}.`);
  const isOvertaken = await Promise.race([stop.then(() => false), served.overtaken.then(() => true)]);
  await served.close();
  stopping.abort();
  await Promise.all([close(), users.close(), forget()]);
  if (isOvertaken)
    throw new Failure(`another instance has started as ${name}`, 'Give each instance a --name of its own.');
  process.exit(0);
}

const HOUR_MS = 3_600_000;

/** What lasts for minutes only cannot be known for minutes before. */
const lifetimesOf = (authorityMs: number) => ({
  authorityMs,
  ...(authorityMs < HOUR_MS && { publishMs: authorityMs / 60 }),
});

/** Ctrl-C reaches every process of a terminal; this one ends when the one that started it says so, or is gone. */
function supervisorsEnd(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('disconnect', () => resolve());
  });
}
