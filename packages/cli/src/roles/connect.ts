import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, ServiceAccount } from '@vireo/api';
import {
  Client,
  type CredentialSource,
  consoleLog,
  type HttpConfig,
  httpTransport,
  inClusterConfig,
  loadKubeconfig,
  pause,
  SLICES_SINCE,
  serverVersion,
  type Transport,
  withOldSlices,
} from '@vireo/kube';
import { Backoff } from '@vireo/kube/backoff.ts';
import { Failure, fileProblem } from '../failure.ts';
import { accountCredentials, type ServiceAccountName } from './accountToken.ts';

/** Where a role finds its server. */
export interface RoleServer {
  /** Missing: what KUBECONFIG names, else the cluster whose pod this runs in, else the embedded server of the home. */
  readonly kubeconfig?: string;
  readonly home: string;
}

/** A role's way to its server. */
export interface RoleConnection {
  /** For further transports, such as those that act for users. */
  readonly config: HttpConfig;
  readonly transport: Transport;
  readonly client: Client;
  /** Of Kubernetes, the number after `1.`. */
  readonly serverMinor: number;
  close(): Promise<void>;
}

/**
 * Connects a role to its server as the role's own service account. Credentials that may create tokens for that account,
 * such as an administrator's, are used for nothing else; others are taken to be the role's own. A server that does not
 * answer is waited for: hosts start in any order.
 */
export async function connectRole(
  server: RoleServer,
  account: ServiceAccountName,
  userAgent: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<RoleConnection> {
  const given = { ...(await findServer(server)), userAgent };
  const outer = httpTransport(given);
  const credentials = await whenAnswered(new Client(outer), account, signal).catch(async (error: unknown) => {
    await outer.close();
    throw error;
  });
  if (!credentials) consoleLog.info('the credentials of the kubeconfig are used as they are', subjectOf(account));
  const config = credentials ? { ...given, credentials } : given;
  const direct = credentials ? httpTransport(config) : outer;
  const { minor: serverMinor } = await serverVersion(new Client(direct));
  const transport = serverMinor < SLICES_SINCE ? withOldSlices(direct) : direct;
  return {
    config,
    transport,
    client: new Client(transport),
    serverMinor,
    close: async () => {
      await Promise.all([transport.close(), outer.close()]);
    },
  };
}

const LONGEST_WAIT_MS = 10_000;

async function whenAnswered(
  client: Client,
  account: ServiceAccountName,
  signal: AbortSignal,
): Promise<CredentialSource | undefined> {
  const backoff = new Backoff({ longestMs: LONGEST_WAIT_MS });
  for (;;) {
    try {
      return await accountCredentials(client, account);
    } catch (error) {
      signal.throwIfAborted();
      const isRefused = error instanceof ApiError && error.code < 500 && error.code !== 429;
      if (isRefused) throw describe(error, account);
      consoleLog.warn('the API server does not answer; trying again', subjectOf(account), { error });
      await pause(backoff.nextMs(), signal);
    }
  }
}

/** The server that a role is told of, with the credentials that are given for it. */
export async function findServer({ kubeconfig, home }: RoleServer): Promise<HttpConfig> {
  const hint = 'Pass --kubeconfig FILE, or start the embedded server with `vireo up`.';
  const own = join(home, 'kubeconfig');
  const isElsewhere = process.env.KUBECONFIG || process.env.KUBERNETES_SERVICE_HOST;
  if (kubeconfig === undefined && !isElsewhere && !existsSync(own))
    throw new Failure(`there is no kubeconfig: none was given, and ${own} does not exist`, hint);
  try {
    if (kubeconfig !== undefined) return await loadKubeconfig({ path: kubeconfig });
    if (process.env.KUBECONFIG) return await loadKubeconfig();
    return process.env.KUBERNETES_SERVICE_HOST ? await inClusterConfig() : await loadKubeconfig({ path: own });
  } catch (error) {
    const which = kubeconfig === undefined ? '' : ` ${kubeconfig}`;
    throw new Failure(`the kubeconfig${which} cannot be used: ${fileProblem(error)}`, hint);
  }
}

const subjectOf = (account: ServiceAccountName) => ({ kind: ServiceAccount.kind, ...account });

function describe(error: ApiError, { namespace, name }: ServiceAccountName): Failure {
  if (error.code === 404)
    return new Failure(
      `the service account ${namespace}/${name} does not exist`,
      'Install Vireo on that cluster first: vireo install',
    );
  return new Failure(`the API server refuses the credentials of the kubeconfig: ${error.message}`);
}
