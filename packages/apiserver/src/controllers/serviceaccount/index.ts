import { Namespace, Secret, ServiceAccount } from '@vireo/api';
import { enqueueKey, keyOf, runController, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { unlessTooLate } from '../unlessTooLate.ts';
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
  const queue = new WorkQueue();
  namespaces.on(enqueueKey(queue));
  accounts.on({ deleted: ({ metadata }) => queue.add(metadata.namespace ?? '') });
  await runController(
    {
      name: 'service-account',
      queue,
      informers: [namespaces, accounts],
      log: context.log,
      metrics: context.metrics,
      reconcile: async (key) => {
        const namespace = namespaces.get(key);
        const isGoing = namespace?.metadata.deletionTimestamp || namespace?.status?.phase === 'Terminating';
        if (!namespace || isGoing || accounts.get(`${key}/${DEFAULT_NAME}`)) return;
        await client
          .of(ServiceAccount)
          .create({ metadata: { name: DEFAULT_NAME, namespace: key } })
          .catch(unlessTooLate);
      },
    },
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
  const queue = new WorkQueue();
  secrets.on(enqueueKey(queue));
  const enqueueSecrets = (account: ServiceAccount) => {
    for (const secret of secrets.byIndex('account', keyOf(account))) queue.add(keyOf(secret));
  };
  accounts.on({ added: enqueueSecrets, deleted: enqueueSecrets });
  await runController(
    {
      name: 'service-account-token',
      queue,
      informers: [accounts, secrets],
      log: context.log,
      metrics: context.metrics,
      reconcile: async (key) => {
        const secret = secrets.get(key);
        if (secret) await reconcileTokenSecret(secret, context);
      },
    },
    signal,
  );
}
