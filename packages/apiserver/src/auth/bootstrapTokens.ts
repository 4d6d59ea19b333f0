import { timingSafeEqual } from 'node:crypto';
import type { UserInfo } from '@vireo/kube';
import {
  BOOTSTRAP_TOKEN_NAMESPACE,
  BOOTSTRAP_TOKEN_TYPE,
  parseBootstrapToken,
} from '@vireo/kube/joining/bootstrapToken.ts';
import type { Lookup, TokenSecret } from './lookup.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** A text of a Secret; '' where it has none of that key. */
export const tokenText = ({ data }: TokenSecret, key: string): string =>
  Buffer.from(data?.[key] ?? '', 'base64').toString();

/** When a bootstrap token ends, in milliseconds: never without a time, long ago with one that cannot be read. */
export function bootstrapTokenEndsAt(secret: TokenSecret): number {
  const expiration = tokenText(secret, 'expiration');
  if (expiration === '') return Number.POSITIVE_INFINITY;
  const time = RFC_3339.test(expiration) ? Date.parse(expiration) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}

/** Whose bootstrap token it is, a string that says why it is void, or undefined where it is no bootstrap token at all. */
export function bootstrapUser(
  token: string,
  lookup: Pick<Lookup, 'secret'>,
  nowMs: number,
): UserInfo | string | undefined {
  const parsed = parseBootstrapToken(token);
  if (!parsed) return undefined;
  const { id, secret: secretPart } = parsed;
  const secret = lookup.secret(BOOTSTRAP_TOKEN_NAMESPACE, `bootstrap-token-${id}`);
  if (!secret || secret.metadata.deletionTimestamp || secret.type !== BOOTSTRAP_TOKEN_TYPE)
    return 'the bootstrap token does not exist';
  if (tokenText(secret, 'token-id') !== id || !isEqual(tokenText(secret, 'token-secret'), secretPart))
    return 'the bootstrap token is not the one that the Secret contains';
  if (bootstrapTokenEndsAt(secret) <= nowMs) return 'the bootstrap token has expired';
  if (tokenText(secret, 'usage-bootstrap-authentication') !== 'true')
    return 'the bootstrap token is not for authentication';
  const groups = tokenText(secret, 'auth-extra-groups')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  const wrong = groups.find((group) => !GROUP.test(group));
  if (wrong !== undefined) return `the bootstrap token has an invalid group ${JSON.stringify(wrong)}`;
  return {
    username: `system:bootstrap:${id}`,
    groups: [...new Set(['system:bootstrappers', ...groups, 'system:authenticated'])],
  };
}

function isEqual(stored: string, sent: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(sent)];
  return a.length === b.length && timingSafeEqual(a, b);
}
