import { createHash } from 'node:crypto';
import { TokenReview, unauthorized } from '@vireo/api';
import type { Client } from '../client.ts';
import type { UserInfo } from '../serving/request.ts';
import { REVIEW_LIFETIME_MS, type ReviewCacheOptions } from './accessReviews.ts';
import { ExpiringCache } from './expiringCache.ts';

/** The user of a bearer token. Throws 401 for a token that the cluster does not know. */
export type ReviewToken = (token: string) => Promise<UserInfo>;

const MAX_TOKENS = 4_096;

type Outcome = { readonly user: UserInfo } | { readonly problem: string };

/** TokenReviews whose answers are remembered for a while, as Kubernetes' own servers delegate authentication. */
export function cachedTokenReviews(client: Client, options: ReviewCacheOptions = {}): ReviewToken {
  const { lifetimeMs = REVIEW_LIFETIME_MS, clock } = options;
  const cache = new ExpiringCache<Outcome>({ lifetimeMs, maxEntries: MAX_TOKENS, ...(clock && { clock }) });
  return async (token) => {
    // The tokens themselves are not kept.
    const key = createHash('sha256').update(token).digest('base64');
    const outcome = await cache.get(key, () => review(client, token));
    if ('problem' in outcome) throw unauthorized(outcome.problem);
    return outcome.user;
  };
}

/** The token of a header `Authorization: Bearer …`. */
export const bearerTokenOf = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];

async function review(client: Client, token: string): Promise<Outcome> {
  const { status } = await client.of(TokenReview).create({ metadata: {}, spec: { token } });
  const { username, uid, groups = [], extra } = status?.user ?? {};
  if (!status?.authenticated || !username) return { problem: status?.error || 'the token is not valid' };
  return { user: { username, groups, ...(uid && { uid }), ...(extra && { extra }) } };
}
