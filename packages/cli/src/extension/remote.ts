import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  APIService,
  ClusterRoleBinding,
  isConditionTrue,
  type KubeObject,
  MutatingWebhookConfiguration,
  type Persisted,
  ServiceAccount,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { type ApiServer, LOOPBACK } from '@vireo/apiserver';
import {
  ASKS_EXTENSION,
  clusterObjects,
  USER as EXTENSION,
  IMPERSONATOR,
  impersonationObjects,
  installObjects,
  reachExtension,
} from '@vireo/extension';
import { Client, consoleLog, Informers, ignoreNotFound, type NodeApi } from '@vireo/kube';
import { writeAtomically } from '@vireo/kube/files.ts';
import { logSettings } from '@vireo/kube/log/index.ts';
import { writeKubeconfig } from '@vireo/kube/writeKubeconfig.ts';
import { runtimeDirectory } from '@vireo/node';
import type { ExtensionReady } from '../commands/extension.ts';
import { makeDirectory } from '../makeDirectory.ts';
import { supervise } from '../roles/supervise.ts';
import { listenForNodes } from './nodeSocket.ts';

/** What an extension in a process of its own takes from the one that starts it. */
export interface RemoteExtensionOptions {
  readonly home: string;
  /** Of the server. */
  readonly port: number;
  readonly nodes: (name: string) => NodeApi | undefined;
}

/** An extension that answers, and what makes the server ask it. */
export interface RemoteExtension {
  readonly asking: readonly KubeObject[];
  /** As it runs now. */
  readonly process: () => ChildProcess;
  readonly ended: Promise<void>;
}

const TOKEN_SECONDS = 3600;
/** There is one instance of a home that is not started by hand. */
const INSTANCE = 'up';

/** What has to be there before it starts, beside the kinds: its account, its rights, and its Service. */
export const remoteBasics = (): KubeObject[] => [
  ...installObjects().filter(({ kind }) => !ASKS_EXTENSION.includes(kind)),
  ...clusterObjects(),
  ...impersonationObjects(),
];

/** Starts `vireo extension` with an account and a way to the nodes, and has the server hand on what is for it. */
export async function startRemoteExtension(
  { home, port: serverPort, nodes }: RemoteExtensionOptions,
  api: ApiServer,
  signal: AbortSignal,
): Promise<RemoteExtension> {
  const directory = join(home, 'extension');
  makeDirectory(directory);
  const file = (name: string): string => join(directory, name);
  await renewToken(api, file('token'));
  await writeKubeconfig(file('kubeconfig'), {
    server: `https://127.0.0.1:${serverPort}`,
    certificateAuthority: await readFile(join(home, 'pki', 'ca.crt')),
    tokenFile: file('token'),
  });
  const socket = nodeSocket(home);
  await listenForNodes(socket, nodes, signal);
  const { format, level } = logSettings();
  const args = [
    // Whoever can connect can ask for reviews: this host only, whatever VIREO_LISTEN says of the server.
    ...['--listen', 'local', '--name', INSTANCE, '--log-format', format, '--log-level', level],
    ...['--kubeconfig', file('kubeconfig'), '--node-socket', socket, '--home', home],
  ];
  const { process, ended } = await supervise<ExtensionReady>(
    {
      what: 'the extension',
      // The first start chooses a port, and every later one keeps it.
      args: (last) => ['extension', ...args, '--port', String(last?.port ?? 0)],
    },
    signal,
  );
  repeat((TOKEN_SECONDS * 1000) / 2, () => renewToken(api, file('token')), signal);
  reachExtension(api);
  return { asking: installObjects().filter(({ kind }) => ASKS_EXTENSION.includes(kind)), process, ended };
}

/** Takes back what only a process of its own needs: whoever gets a token of that account could be anybody. */
export async function removeRemoteRights(client: Client): Promise<void> {
  await client.of(ClusterRoleBinding).delete(IMPERSONATOR).catch(ignoreNotFound);
}

/** Resolves when the server reaches every API of the extension, and trusts whoever answers its webhooks. */
export async function untilAvailable(
  client: Client,
  asking: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  const missing = new Set(asking.map(({ metadata }) => metadata.name));
  const stop = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const found = (name: string): void => {
    missing.delete(name);
    if (missing.size === 0) resolve();
  };
  const lookAtApi = (apiService: Persisted<APIService>): void => {
    if (isConditionTrue(apiService, 'Available')) found(apiService.metadata.name);
  };
  const lookAtWebhooks = ({ metadata, webhooks = [] }: Persisted<ValidatingWebhookConfiguration>): void => {
    if (webhooks.every(({ clientConfig }) => clientConfig.caBundle !== undefined)) found(metadata.name);
  };
  const informers = new Informers(client);
  informers.for(APIService).on({ added: lookAtApi, updated: (_, now) => lookAtApi(now) });
  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
    informers
      .for<ValidatingWebhookConfiguration>(kind)
      .on({ added: lookAtWebhooks, updated: (_, now) => lookAtWebhooks(now) });
  signal.addEventListener('abort', () => resolve(), { once: true });
  informers.start(stop.signal);
  await promise;
  stop.abort();
}

/** Where other sockets of the home are, too: their paths must be short. */
function nodeSocket(home: string): string {
  const directory = runtimeDirectory(home, process.getuid?.() === 0);
  makeDirectory(directory);
  return join(directory, 'nodes.sock');
}

/** A token of the extension's own account. */
async function renewToken(api: ApiServer, path: string): Promise<void> {
  const [, , namespace = '', name = ''] = EXTENSION.username.split(':');
  const client = new Client(api.transportFor(LOOPBACK));
  const { metadata } = await client.of(ServiceAccount).get(name, { namespace });
  const { token } = api.tokens.issue({
    serviceAccount: { namespace, name, uid: metadata.uid },
    expirationSeconds: TOKEN_SECONDS,
  });
  await writeAtomically(path, token, 0o600);
}

function repeat(ms: number, action: () => Promise<unknown>, signal: AbortSignal): void {
  const timer = setInterval(() => {
    action().catch((error: unknown) =>
      consoleLog.error('the extension cannot be kept up to date', undefined, { error }),
    );
  }, ms);
  timer.unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
