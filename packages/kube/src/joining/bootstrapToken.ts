import { randomInt } from 'node:crypto';
import type { Secret } from '@vireo/api';
import { JOINING_GROUP, TOKEN_NODE_ANNOTATION, TOKEN_SECRET_PREFIX } from '@vireo/api/kinds/kubevirt/identities.ts';

/** `ID.SECRET`: the id is public, the secret proves that both sides know each other. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

/** The type of the Secrets that hold such tokens, and where those are. */
export const BOOTSTRAP_TOKEN_TYPE = 'bootstrap.kubernetes.io/token';
export const BOOTSTRAP_TOKEN_NAMESPACE = 'kube-system';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

const random = (length: number): string => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** A token that nobody knows yet. */
export const newBootstrapToken = (): BootstrapToken => ({ id: random(6), secret: random(16) });

/** Reads `ID.SECRET`; undefined for other texts. */
export function parseBootstrapToken(text: string): BootstrapToken | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id && secret ? { id, secret } : undefined;
}

export const bootstrapTokenText = ({ id, secret }: BootstrapToken): string => `${id}.${secret}`;

/** What a new token is for. */
export interface TokenPurpose {
  /** Missing: it does not end. */
  readonly expiration?: Date;
  /** The one node that it is for, which may be there already. Missing: any node whose name is free. */
  readonly node?: string;
  readonly description?: string;
}

/** The Secret by which a token lets hosts join as nodes of Vireo. */
export const joiningSecret = (
  { id, secret }: BootstrapToken,
  { expiration, node, description }: TokenPurpose,
): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: `${TOKEN_SECRET_PREFIX}${id}`,
    namespace: BOOTSTRAP_TOKEN_NAMESPACE,
    ...(node !== undefined && { annotations: { [TOKEN_NODE_ANNOTATION]: node } }),
  },
  type: BOOTSTRAP_TOKEN_TYPE,
  stringData: {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-authentication': 'true',
    'usage-bootstrap-signing': 'true',
    'auth-extra-groups': JOINING_GROUP,
    ...(description !== undefined && { description }),
    // Kubernetes reads seconds only.
    ...(expiration && { expiration: expiration.toISOString().replace(/\.\d+Z$/, 'Z') }),
  },
});
