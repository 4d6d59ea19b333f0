import type { Persisted, Secret, ServiceAccount } from '@vireo/api';

export const TOKEN_TYPE = 'kubernetes.io/service-account-token';
export const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';
const UID_ANNOTATION = 'kubernetes.io/service-account.uid';

export type TokenDecision = 'nothing' | 'fill' | 'delete';

/** What becomes of a token Secret, given the account that it names. */
export function tokenDecision(
  { metadata, data = {} }: Secret,
  account: ServiceAccount | undefined,
  caPem: string,
): TokenDecision {
  const uid = metadata.annotations?.[UID_ANNOTATION];
  if (!account) return 'delete';
  // An account of the same name that was made later is another account.
  if (uid && uid !== account.metadata.uid) return 'delete';
  const isComplete =
    uid !== undefined &&
    Boolean(data.token) &&
    data['ca.crt'] === encode(caPem) &&
    data.namespace === encode(metadata.namespace ?? '');
  return isComplete ? 'nothing' : 'fill';
}

/** The Secret with all that a client needs. A token that is there stays. */
export function filledSecret(secret: Secret, account: Persisted<ServiceAccount>, caPem: string, token: string): Secret {
  const { metadata, data } = secret;
  return {
    ...secret,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [UID_ANNOTATION]: account.metadata.uid } },
    data: {
      ...data,
      'ca.crt': encode(caPem),
      namespace: encode(metadata.namespace ?? ''),
      token: data?.token || encode(token),
    },
  };
}

const encode = (text: string): string => Buffer.from(text).toString('base64');
