import { readFile } from 'node:fs/promises';
import { ApiError } from '@vireo/api';
import { Client, httpTransport, type KubeconfigTarget, loadKubeconfig, staticCredentials } from '@vireo/kube';
import { Failure, fileProblem } from '../../failure.ts';
import { inThisName } from '../../programName.ts';
import { type ConnectionOptions, kubeconfigFile } from './connectionOptions.ts';
import { warnOfOtherVersion } from './versions.ts';
import { withTracing } from './withTracing.ts';
import { withWarnings } from './withWarnings.ts';

/** A server, and the namespace that names are meant in. */
export interface Connection {
  readonly client: Client;
  readonly target: KubeconfigTarget;
  readonly namespace: string;
}

/** Runs `use` with a connection that is closed afterwards, so that the command can end. */
export async function connected<T>(
  options: ConnectionOptions,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const target = await findTarget(options);
  const client = new Client(withWarnings(withTracing(httpTransport(target), target.server, options.v ?? 0)));
  try {
    return await use({ client, target, namespace: options.namespace ?? target.namespace });
  } catch (error) {
    // Another version may be why the server refused; as virtctl, told before the reason.
    if (error instanceof Failure && error.cause instanceof ApiError) await warnOfOtherVersion(client);
    throw error;
  } finally {
    await client.close();
  }
}

/** Where the options lead. */
export async function findTarget(options: ConnectionOptions): Promise<KubeconfigTarget> {
  try {
    return await withFlags(await fromKubeconfig(options), options);
  } catch (error) {
    throw new Failure(
      error instanceof Error ? error.message : String(error),
      inThisName('To start a server: vireo up. To use another kubeconfig: --kubeconfig FILE.'),
    );
  }
}

async function fromKubeconfig(options: ConnectionOptions): Promise<KubeconfigTarget> {
  const { context, cluster, kubeconfigUser: user, server } = options;
  const path = kubeconfigFile(options, process.env);
  try {
    return await loadKubeconfig({
      ...(path && { path }),
      ...(context && { context }),
      ...(cluster && { cluster }),
      ...(user && { user }),
    });
  } catch (error) {
    // The flags may say it all; a file that was asked for by name must be there all the same.
    if (!server || path || context || cluster || user) throw error;
    return { server, namespace: 'default' };
  }
}

/** What flags say goes before what the kubeconfig says. */
export async function withFlags(target: KubeconfigTarget, options: ConnectionOptions): Promise<KubeconfigTarget> {
  const { token, as, asGroup = [], asUid, clientCertificate, clientKey, certificateAuthority } = options;
  if (!as && (asGroup.length > 0 || asUid)) throw new Error('--as-group and --as-uid need --as');
  if (Boolean(clientCertificate) !== Boolean(clientKey))
    throw new Error('--client-certificate and --client-key must be given together');
  const identity = {
    ...(token && { token }),
    ...(clientCertificate && { certificate: await readNamed('--client-certificate', clientCertificate) }),
    ...(clientKey && { key: await readNamed('--client-key', clientKey) }),
  };
  return {
    ...target,
    ...(options.server && { server: serverAddress(options.server), serverName: undefined }),
    ...(options.tlsServerName && { serverName: options.tlsServerName }),
    ...(options.insecureSkipTlsVerify && { insecure: true, certificateAuthority: undefined }),
    ...(certificateAuthority && {
      certificateAuthority: await readNamed('--certificate-authority', certificateAuthority),
    }),
    ...(Object.keys(identity).length > 0 && { credentials: staticCredentials(identity) }),
    ...(as && { impersonate: { user: as, groups: asGroup, ...(asUid && { uid: asUid }) } }),
    ...(options.requestTimeout && { timeoutMs: options.requestTimeout }),
  };
}

/** kubectl takes `host:port` as well. */
function serverAddress(text: string): string {
  const address = /^https?:\/\//.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) throw new Error(`--server ${text} is not an address: use https://HOST:PORT`);
  return address;
}

async function readNamed(flag: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new Error(`${flag} ${file} cannot be read: ${fileProblem(error)}`);
  }
}

/** Resources that have actions. */
export type ActionResource =
  | 'virtualmachines'
  | 'virtualmachineinstances'
  | 'virtualmachineinstancereplicasets'
  | 'virtualmachinepools';

/** The path of an action on a VM (`virtualmachines`), an instance, a replica set or a pool. */
export function actionPath(
  { namespace }: Pick<Connection, 'namespace'>,
  resource: ActionResource,
  name: string,
  action: string,
): string {
  return `${SUBRESOURCES}/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}/${action}`;
}

/** The group of the actions on VMs. */
export const SUBRESOURCES = '/apis/subresources.kubevirt.io/v1';
