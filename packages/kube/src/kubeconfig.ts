import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type CredentialSource, staticCredentials, tokenFileCredentials } from './credentials.ts';
import { execCredentials, readExec } from './execCredentials.ts';
import type { HttpConfig, Impersonation } from './http.ts';
import {
  type Fields,
  findEntry,
  type KubeconfigDocument,
  mergeKubeconfigs,
  parseKubeconfig,
} from './kubeconfigFile.ts';

/** Where the kubeconfig leads: a server, who we are there, and the namespace to assume. */
export interface KubeconfigTarget extends HttpConfig {
  readonly namespace: string;
  /** Which context of the file it is; undefined if there is no file. */
  readonly context?: string;
}

export interface LoadKubeconfigOptions {
  /** One file, instead of KUBECONFIG and ~/.kube/config. */
  readonly path?: string;
  /** Default: the current context. */
  readonly context?: string;
  /** Instead of the context's. */
  readonly cluster?: string;
  /** Instead of the context's. */
  readonly user?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Finds the server as kubectl does: the file given, else those of KUBECONFIG, else ~/.kube/config, else, in a pod, its
 * service account.
 *
 * @example
 * const client = new Client(httpTransport(await loadKubeconfig()));
 */
export async function loadKubeconfig({
  path,
  env = process.env,
  ...chosen
}: LoadKubeconfigOptions = {}): Promise<KubeconfigTarget> {
  const paths = path ? [path] : kubeconfigPaths(env);
  const documents = await Promise.all(paths.map((file) => readDocument(file, path !== undefined)));
  const found = documents.filter((document) => document !== undefined);
  if (found.length > 0) return resolveKubeconfig(mergeKubeconfigs(found), chosen);
  if (env.KUBERNETES_SERVICE_HOST) return inClusterConfig(env);
  throw new Error(`no kubeconfig found at ${paths.join(', ')}; set KUBECONFIG or pass a path`);
}

function kubeconfigPaths(env: NodeJS.ProcessEnv): string[] {
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  return listed.length > 0 ? listed : [join(env.HOME ?? homedir(), '.kube', 'config')];
}

/** As in kubectl, a file of a list may be missing; one that was asked for by name may not. */
async function readDocument(path: string, isRequired: boolean): Promise<KubeconfigDocument | undefined> {
  try {
    return parseKubeconfig(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (!isRequired && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** What a context of a kubeconfig means, with the files it names read. */
export async function resolveKubeconfig(
  document: KubeconfigDocument,
  { context, cluster: otherCluster, user: otherUser }: Pick<LoadKubeconfigOptions, 'context' | 'cluster' | 'user'> = {},
): Promise<KubeconfigTarget> {
  const contextName = context ?? document.currentContext;
  if (!contextName) throw new Error('the kubeconfig has no current-context, and no context was specified');
  const chosen = findEntry(document, 'contexts', contextName);
  const cluster = findEntry(document, 'clusters', otherCluster ?? chosen.requiredText('cluster'));
  const userName = otherUser ?? chosen.text('user');
  const user = userName === undefined ? undefined : findEntry(document, 'users', userName);
  return {
    namespace: chosen.text('namespace') ?? 'default',
    context: contextName,
    ...(await readCluster(cluster)),
    ...(user && { credentials: await readCredentials(user, cluster), impersonate: readImpersonation(user) }),
  };
}

async function readCluster(cluster: Fields): Promise<Omit<HttpConfig, 'credentials'>> {
  const insecure = cluster.flag('insecure-skip-tls-verify');
  const certificateAuthority = await dataOrFile(cluster, 'certificate-authority');
  if (insecure && certificateAuthority)
    throw cluster.error('certificate-authority', 'cannot be combined with insecure-skip-tls-verify');
  if (cluster.has('proxy-url')) throw cluster.error('proxy-url', 'is not supported');
  return {
    server: cluster.requiredText('server'),
    certificateAuthority,
    serverName: cluster.text('tls-server-name'),
    insecure,
  };
}

async function readCredentials(user: Fields, cluster: Fields): Promise<CredentialSource> {
  if (user.has('auth-provider')) throw user.error('auth-provider', 'is no longer supported; use exec');
  if (user.has('exec')) return execCredentials(readExec(user.object('exec'), cluster));
  const certificate = await dataOrFile(user, 'client-certificate');
  const key = await dataOrFile(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined))
    throw user.error('client-certificate', 'and client-key must be set together');
  const tokenFile = user.path('tokenFile');
  if (tokenFile === undefined) return staticCredentials({ token: user.text('token'), certificate, key });
  const fromFile = tokenFileCredentials(tokenFile);
  return { get: async () => ({ ...(await fromFile.get()), certificate, key }), reject: fromFile.reject };
}

function readImpersonation(user: Fields): Impersonation | undefined {
  const name = user.text('as');
  const groups = user.texts('as-groups');
  if (name === undefined) {
    if (groups.length > 0 || user.has('as-uid')) throw user.error('as', 'must be set if as-groups or as-uid is set');
    return undefined;
  }
  return { user: name, groups, uid: user.text('as-uid'), extra: user.textLists('as-user-extra') };
}

/** `name-data` in base64 goes before the file that `name` names. */
async function dataOrFile(fields: Fields, name: string): Promise<Buffer | undefined> {
  const data = fields.bytes(`${name}-data`);
  if (data) return data;
  const path = fields.path(name);
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (error) {
    throw fields.error(name, `cannot be read: ${(error as Error).message}`);
  }
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The API server of the cluster whose pod we run in, as the pod's service account. */
export async function inClusterConfig(
  env: NodeJS.ProcessEnv = process.env,
  directory = SERVICE_ACCOUNT,
): Promise<KubeconfigTarget> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port)
    throw new Error('not running in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must both be set');
  const [certificateAuthority, namespace] = await Promise.all([
    readFile(join(directory, 'ca.crt')),
    readFile(join(directory, 'namespace'), 'utf8'),
  ]);
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    certificateAuthority,
    credentials: tokenFileCredentials(join(directory, 'token')),
    namespace: namespace.trim(),
  };
}
