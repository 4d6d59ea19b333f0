import { isReason } from '@vireo/api';
import type { Client, CredentialSource } from '@vireo/kube';

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

const TOKEN_SECONDS = 3600;
/** A token is replaced when this part of its time has passed, as a kubelet does. */
const RENEW_AFTER = 0.8;

interface IssuedToken {
  readonly token: string;
  readonly renewAtMs: number;
}

/**
 * Credentials of a service account, by tokens that `client` creates and renews; undefined where it may not. A server
 * that does not answer leaves the last token in use for as long as it is valid.
 */
export async function accountCredentials(
  client: Client,
  account: ServiceAccountName,
  now: () => number = Date.now,
): Promise<CredentialSource | undefined> {
  let issued: IssuedToken;
  try {
    issued = await issueToken(client, account, now());
  } catch (error) {
    if (isReason(error, 'Forbidden')) return undefined;
    throw error;
  }
  let renewal: Promise<void> | undefined;
  const renew = (): Promise<void> => {
    renewal ??= issueToken(client, account, now())
      .then((next) => {
        issued = next;
      })
      .finally(() => {
        renewal = undefined;
      });
    return renewal;
  };
  return {
    async get() {
      if (now() >= issued.renewAtMs) await renew().catch(() => {});
      return { token: issued.token };
    },
    reject() {
      issued = { ...issued, renewAtMs: 0 };
    },
  };
}

async function issueToken(
  client: Client,
  { namespace, name }: ServiceAccountName,
  nowMs: number,
): Promise<IssuedToken> {
  const { status } = (await client.call({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: TOKEN_SECONDS },
    },
  })) as { status: { token: string; expirationTimestamp: string } };
  const lifeMs = Date.parse(status.expirationTimestamp) - nowMs;
  return { token: status.token, renewAtMs: nowMs + lifeMs * RENEW_AFTER };
}
