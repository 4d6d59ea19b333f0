import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { APIService, ClusterRoleBinding, isConditionTrue, type KubeObject, ServiceAccount } from '@vireo/api';
import { type ApiServer, LOOPBACK } from '@vireo/apiserver';
import { writeAtomically } from '@vireo/apiserver/auth/files.ts';
import { ensureServingCertificate, type ServingCertificate } from '@vireo/apiserver/auth/pki.ts';
import {
  ASKS_EXTENSION,
  USER as EXTENSION,
  EXTENSION_SERVER_NAME,
  externalService,
  IMPERSONATOR,
  installObjects,
  reachExtension,
  remoteRights,
} from '@vireo/extension';
import { Client, consoleLog, Informer, ignoreNotFound, type NodeApi } from '@vireo/kube';
import { logSettings } from '@vireo/kube/log/index.ts';
import { writeKubeconfig } from '@vireo/kube/writeKubeconfig.ts';
import { runtimeDirectory } from '@vireo/node';
import { makeDirectory } from '../makeDirectory.ts';
import { listenForNodes } from './nodeSocket.ts';
import { superviseExtension } from './supervise.ts';

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
const DAY_MS = 24 * 3600 * 1000;
const LOCALHOST = 'localhost';

/** What has to be there before it starts, beside the kinds: its account, its rights, and its Service. */
export const remoteBasics = (): KubeObject[] => [
  ...installObjects().filter(({ kind }) => !ASKS_EXTENSION.includes(kind)),
  externalService(LOCALHOST),
  ...remoteRights(),
];

/** Starts it with a certificate, an account and a way to the nodes, and has the server hand on what is for it. */
export async function startRemoteExtension(
  { home, port: serverPort, nodes }: RemoteExtensionOptions,
  api: ApiServer,
  signal: AbortSignal,
): Promise<RemoteExtension> {
  const directory = join(home, 'extension');
  makeDirectory(directory);
  const file = (name: string): string => join(directory, name);
  const pki = join(home, 'pki');
  const { caPem } = await renewCertificate(pki);
  await renewToken(api, file('token'));
  await writeKubeconfig(file('kubeconfig'), {
    server: `https://127.0.0.1:${serverPort}`,
    certificateAuthority: await readFile(join(pki, 'ca.crt')),
    tokenFile: file('token'),
  });
  const socket = nodeSocket(home);
  await listenForNodes(socket, nodes, signal);
  const { format, level } = logSettings();
  const args = [
    // Whoever can connect can ask for reviews: this host only, whatever VIREO_LISTEN says of the server.
    ...['--listen', 'local', '--log-format', format, '--log-level', level],
    ...['--kubeconfig', file('kubeconfig'), '--node-socket', socket, '--home', home],
    ...['--tls-cert-file', join(pki, 'extension.crt'), '--tls-private-key-file', join(pki, 'extension.key')],
  ];
  const { port, process, ended } = await superviseExtension(args, consoleLog, signal);
  repeat((TOKEN_SECONDS * 1000) / 2, () => renewToken(api, file('token')), signal);
  repeat(DAY_MS, () => renewCertificate(pki), signal);
  reachExtension(api, { port, caBundle: caPem });
  const reached = { port, caBundle: Buffer.from(caPem).toString('base64') };
  return { asking: installObjects(reached).filter(({ kind }) => ASKS_EXTENSION.includes(kind)), process, ended };
}

/** Takes back what only a process of its own needs: whoever gets a token of that account could be anybody. */
export async function removeRemoteRights(client: Client): Promise<void> {
  await client.of(ClusterRoleBinding).delete(IMPERSONATOR).catch(ignoreNotFound);
}

/** Resolves when the server has found every API of the extension to be available. */
export async function untilAvailable(
  client: Client,
  asking: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  const missing = new Set(asking.filter(({ kind }) => kind === APIService.kind).map(({ metadata }) => metadata.name));
  const stop = new AbortController();
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = (apiService: APIService): void => {
    if (isConditionTrue(apiService, 'Available')) missing.delete(apiService.metadata.name);
    if (missing.size === 0) resolve();
  };
  const known = new Informer(client.of(APIService));
  known.on({ added: look, updated: (_, now) => look(now) });
  signal.addEventListener('abort', () => resolve(), { once: true });
  known.start(stop.signal);
  await promise;
  stop.abort();
}

/** Where other sockets of the home are, too: their paths must be short. */
function nodeSocket(home: string): string {
  const directory = runtimeDirectory(home, process.getuid?.() === 0);
  makeDirectory(directory);
  return join(directory, 'nodes.sock');
}

const renewCertificate = (directory: string): Promise<ServingCertificate> =>
  ensureServingCertificate(directory, 'extension', [EXTENSION_SERVER_NAME]);

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
