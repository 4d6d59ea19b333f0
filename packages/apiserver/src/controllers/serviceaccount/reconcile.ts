import { type Persisted, Secret, ServiceAccount } from '@vireo/api';
import { type Client, ignoreNotFound } from '@vireo/kube';
import { ACCOUNT_ANNOTATION, filledSecret, tokenDecision } from './status.ts';

export interface TokenParts {
  readonly client: Client;
  readonly caPem: string;
  /** A token of the account that is bound to the Secret. */
  readonly signLegacyToken: (account: Persisted<ServiceAccount>, secret: Persisted<Secret>) => string | Promise<string>;
}

/** Fills or removes one token Secret. The account is read from the API: nothing is removed on a stale view. */
export async function reconcileTokenSecret(secret: Persisted<Secret>, parts: TokenParts): Promise<void> {
  const { client, caPem, signLegacyToken } = parts;
  const { namespace, annotations, deletionTimestamp } = secret.metadata;
  const accountName = annotations?.[ACCOUNT_ANNOTATION];
  if (!accountName || deletionTimestamp) return;
  const account = await client.of(ServiceAccount).find(accountName, { namespace });
  const decision = tokenDecision(secret, account, caPem);
  if (decision === 'delete') {
    await client.of(Secret).deleteExactly(secret).catch(ignoreNotFound);
  } else if (decision === 'fill' && account) {
    const token = secret.data?.token ? '' : await signLegacyToken(account, secret);
    await client
      .of(Secret)
      .update(filledSecret(secret, account, caPem, token))
      .catch(ignoreNotFound);
  }
}
