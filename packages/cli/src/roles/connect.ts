import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { isReason } from '@vireo/api';
import {
  Client,
  consoleLog,
  type HttpConfig,
  httpTransport,
  inClusterConfig,
  loadKubeconfig,
  type Transport,
} from '@vireo/kube';
import { Failure } from '../failure.ts';
import { accountCredentials, type ServiceAccountName } from './accountToken.ts';

/** Where a role finds its server. */
export interface RoleServer {
  /** Missing: the cluster whose pod this runs in, else the embedded server of the home. */
  readonly kubeconfig?: string;
  readonly home: string;
}

/** A role's way to its server. */
export interface RoleConnection {
  /** For further transports, such as those that act for users. */
  readonly config: HttpConfig;
  readonly transport: Transport;
  readonly client: Client;
  close(): Promise<void>;
}

/**
 * Connects a role to its server as the role's own service account. Credentials that may create tokens for that account,
 * such as an administrator's, are used for nothing else; others are taken to be the role's own.
 */
export async function connectRole(
  server: RoleServer,
  account: ServiceAccountName,
  userAgent: string,
): Promise<RoleConnection> {
  const given = await findServer(server);
  const outer = httpTransport({ ...given, userAgent });
  const credentials = await accountCredentials(new Client(outer), account).catch(async (error: unknown) => {
    await outer.close();
    throw describe(error, account);
  });
  if (!credentials) consoleLog.info('the role uses the credentials of its kubeconfig', undefined, { ...account });
  const config = credentials ? { ...given, userAgent, credentials } : { ...given, userAgent };
  const transport = credentials ? httpTransport(config) : outer;
  return {
    config,
    transport,
    client: new Client(transport),
    close: async () => {
      await Promise.all([transport.close(), outer.close()]);
    },
  };
}

async function findServer({ kubeconfig, home }: RoleServer): Promise<HttpConfig> {
  if (kubeconfig !== undefined) return loadKubeconfig({ path: kubeconfig });
  if (process.env.KUBERNETES_SERVICE_HOST) return inClusterConfig();
  const own = join(home, 'kubeconfig');
  try {
    await access(own);
  } catch {
    throw new Failure(
      `there is no kubeconfig: none was given, this is no pod, and ${own} does not exist`,
      'Pass --kubeconfig FILE, or start the embedded server with `vireo up`.',
    );
  }
  return loadKubeconfig({ path: own });
}

const describe = (error: unknown, { namespace, name }: ServiceAccountName): unknown =>
  isReason(error, 'NotFound')
    ? new Failure(
        `the service account ${namespace}/${name} does not exist`,
        'Install Vireo on that cluster first: vireo install',
      )
    : error;
