import { SubjectAccessReview, type SubjectAccessReviewSpec, type SubjectAccessReviewStatus } from '@vireo/api';
import type { Client } from '../client.ts';
import type { Clock } from '../clock.ts';
import type { UserInfo } from '../serving/request.ts';
import { ExpiringCache } from './expiringCache.ts';

/** What somebody wants to do: on a resource, or at a path that is none. */
export type AccessAttributes = Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>;

/** Asks the cluster whether a user may do something. */
export type ReviewAccess = (user: UserInfo, attributes: AccessAttributes) => Promise<SubjectAccessReviewStatus>;

export interface ReviewCacheOptions {
  /** How long an answer holds. Default: ten seconds, as in Kubernetes' own servers; 0: every request is asked about. */
  readonly lifetimeMs?: number;
  readonly clock?: Clock;
}

/** As long as Kubernetes' delegating authorizers and authenticators remember. */
export const REVIEW_LIFETIME_MS = 10_000;
const MAX_REVIEWS = 8_192;
/** Users with longer names, groups and extra fields than this are asked about every time. */
const MAX_KEY_LENGTH = 10_000;
/** May do everything, whatever the cluster's authorizer would say. */
const ALWAYS_ALLOWED = 'system:masters';

/** SubjectAccessReviews without a memory. */
export const reviewAccessBy =
  (client: Client): ReviewAccess =>
  async ({ username, uid, groups, extra }, attributes) => {
    const { status } = await client.of(SubjectAccessReview).create({
      metadata: {},
      spec: {
        user: username,
        ...(uid && { uid }),
        groups: [...groups],
        ...(extra && { extra: extra as Record<string, string[]> }),
        ...attributes,
      },
    });
    return status ?? { allowed: false };
  };

/** SubjectAccessReviews whose answers are remembered for a while, as Kubernetes' own servers delegate authorization. */
export function cachedAccessReviews(client: Client, options: ReviewCacheOptions = {}): ReviewAccess {
  const { lifetimeMs = REVIEW_LIFETIME_MS, clock } = options;
  const review = reviewAccessBy(client);
  const cache = new ExpiringCache<SubjectAccessReviewStatus>({
    lifetimeMs,
    maxEntries: MAX_REVIEWS,
    ...(clock && { clock }),
  });
  return async (user, attributes) => {
    if (user.groups.includes(ALWAYS_ALLOWED)) return { allowed: true };
    const { username, uid, groups, extra } = user;
    const { resourceAttributes, nonResourceAttributes } = attributes;
    const asked = [username, uid, groups, extra, sorted(resourceAttributes), sorted(nonResourceAttributes)];
    const key = JSON.stringify(asked);
    return key.length > MAX_KEY_LENGTH ? review(user, attributes) : cache.get(key, () => review(user, attributes));
  };
}

const sorted = (attributes: object | undefined): [string, unknown][] =>
  Object.entries(attributes ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
