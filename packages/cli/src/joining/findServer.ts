import { Secret } from '@vireo/api';
import { TOKEN_SECRET_PREFIX } from '@vireo/api/kinds/kubevirt/identities.ts';
import { Client, type CredentialSource, httpTransport, ignoreNotFound, staticCredentials } from '@vireo/kube';
import {
  BOOTSTRAP_TOKEN_NAMESPACE,
  bootstrapTokenText,
  joiningSecret,
  newBootstrapToken,
} from '@vireo/kube/joining/bootstrapToken.ts';
import { Failure } from '../failure.ts';
import { findServer } from '../roles/connect.ts';
import type { DiscoveredServer } from './discover.ts';
import { readServer, writeServer } from './nodeHome.ts';

/** A token that an administrator's credentials have made for this node alone. */
export interface OwnToken {
  readonly credentials: CredentialSource;
  /** The token is of no use any more. */
  revoke(): Promise<void>;
}

/** The server of a node, and a token where its administrator is at hand and the node may need one. */
export interface NodeServer {
  readonly server: DiscoveredServer;
  readonly token?: OwnToken;
}

const TOKEN_MS = 15 * 60_000;

/**
 * The server that a home has joined; otherwise that of a kubeconfig, whose user must be allowed to create a token: then
 * the node joins in one step.
 */
export async function findNodeServer(
  { home, kubeconfig }: { readonly home: string; readonly kubeconfig?: string },
  { hasCertificates, node }: { readonly hasCertificates: boolean; readonly node: string | undefined },
): Promise<NodeServer> {
  const known = await readServer(home);
  if (known && kubeconfig === undefined) return { server: known };
  if (kubeconfig === undefined && !process.env.KUBECONFIG && !process.env.KUBERNETES_SERVICE_HOST)
    throw new Failure(
      `${home} has not joined a cluster`,
      'Run `vireo token create` on the first host, and the line that it prints here. Or pass --kubeconfig FILE of an administrator.',
    );
  const config = await findServer({ home, ...(kubeconfig !== undefined && { kubeconfig }) });
  const caPem = config.certificateAuthority?.toString() ?? '';
  if (caPem === '')
    throw new Failure(
      'the kubeconfig does not name the authority of the server',
      'Add certificate-authority-data to it.',
    );
  const server = { server: config.server, caPem };
  const token = hasCertificates ? undefined : await createOwnToken(new Client(httpTransport(config)), node);
  await writeServer(home, server);
  return { server, ...(token && { token }) };
}

/** `node`: the one that the home has been before, which may take its name again. */
async function createOwnToken(client: Client, node: string | undefined): Promise<OwnToken> {
  const token = newBootstrapToken();
  try {
    const expiration = new Date(Date.now() + TOKEN_MS);
    const purpose = { expiration, description: 'a node that joins', ...(node !== undefined && { node }) };
    await client.of(Secret).create(joiningSecret(token, purpose));
  } catch (error) {
    await client.close();
    throw new Failure(
      `the user of the kubeconfig cannot create a token to join with: ${error instanceof Error ? error.message : error}`,
      'Use an administrator’s kubeconfig, or a token from `vireo token create`: vireo join ADDRESS --token TOKEN',
    );
  }
  return {
    credentials: staticCredentials({ token: bootstrapTokenText(token) }),
    revoke: async () => {
      const name = `${TOKEN_SECRET_PREFIX}${token.id}`;
      await client.of(Secret).delete(name, { namespace: BOOTSTRAP_TOKEN_NAMESPACE }).catch(ignoreNotFound);
      await client.close();
    },
  };
}
