import { Namespace, Secret, ServiceAccount } from '@vireo/api';
import { type ControllerContext, ignoreConcurrentCreate, keyOf, runController, watch } from '@vireo/kube';
import { reconcileTokenSecret, type TokenParts } from './reconcile.ts';
import { ACCOUNT_ANNOTATION, TOKEN_TYPE } from './status.ts';

export const SERVICE_ACCOUNT_USER = 'system:serviceaccount:kube-system:service-account-controller';
export const SERVICE_ACCOUNT_TOKEN_USER = 'system:serviceaccount:kube-system:serviceaccount-token-controller';

const DEFAULT_NAME = 'default';

/** Keeps the ServiceAccount `default` in every namespace. */
export async function startServiceAccountController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const namespaces = informers.for(Namespace);
  const accounts = informers.for(ServiceAccount, { fieldSelector: `metadata.name=${DEFAULT_NAME}` });
  await runController(
    {
      name: 'service-account',
      for: namespaces,
      watches: [watch(accounts, { deleted: ({ metadata }) => metadata.namespace })],
      reconcile: async (key) => {
        const namespace = namespaces.get(key);
        const isGoing = namespace?.metadata.deletionTimestamp || namespace?.status?.phase === 'Terminating';
        if (!namespace || isGoing || accounts.get(`${key}/${DEFAULT_NAME}`)) return;
        await client
          .of(ServiceAccount)
          .create({ metadata: { name: DEFAULT_NAME, namespace: key } })
          .catch(ignoreConcurrentCreate);
      },
    },
    context,
    signal,
  );
}

/** Fills token Secrets that ask for it and removes them with their account. */
export async function startTokenController(
  context: ControllerContext & Pick<TokenParts, 'caPem' | 'signLegacyToken'>,
  signal: AbortSignal,
): Promise<void> {
  const { informers } = context;
  const accounts = informers.for(ServiceAccount);
  const secrets = informers.for(Secret, {
    fieldSelector: `type=${TOKEN_TYPE}`,
    indexes: {
      account: ({ metadata }) => [`${metadata.namespace}/${metadata.annotations?.[ACCOUNT_ANNOTATION] ?? ''}`],
    },
  });
  const secretsOf = (account: ServiceAccount): string[] => secrets.byIndex('account', keyOf(account)).map(keyOf);
  await runController(
    {
      name: 'service-account-token',
      for: secrets,
      watches: [watch(accounts, { added: secretsOf, deleted: secretsOf })],
      reconcile: async (key) => {
        const secret = secrets.get(key);
        if (secret) await reconcileTokenSecret(secret, context);
      },
    },
    context,
    signal,
  );
}
