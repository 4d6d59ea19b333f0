import { forbidden, type SubjectAccessReviewStatus } from '@vireo/api';
import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import { type ApiRequest, type Client, type ReviewAccess, reviewAccessBy, type UserInfo } from '@vireo/kube';

/** What a request wants to do, in RBAC's words. */
export interface Access {
  /** Default: that of the subresources of VMs. */
  readonly group?: string;
  readonly verb: string;
  /** Missing: at the scope of the cluster. */
  readonly namespace?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
}

/** Lets a request through, or throws. */
export type Authorize = (request: ApiRequest, access: Access) => Promise<void>;

/** Whoever called has authorised the request already: the server in whose process this runs. */
export const alreadyAuthorized: Authorize = async () => {};

/**
 * For an extension in the process of the server, which has authorised the request as any API server does: by the first
 * segment of the subresource. So whoever may `vnc` would have `vnc/screenshot` too; the cluster is asked about such.
 */
export function byServerInProcess(client: Client): Authorize {
  return async ({ user }, access) => {
    if (access.subresource?.includes('/')) await requireAccess(client, user, access);
  };
}

/**
 * Asks the cluster about every request: for those that came by the extension's own listener. With `cachedAccessReviews`,
 * answers are remembered for a while, as in Kubernetes' own servers.
 */
export const bySubjectAccessReview =
  (review: ReviewAccess): Authorize =>
  ({ user }, access) =>
    requireBy(review, user, access);

/** Asks the cluster whether a user may do something. */
export const reviewAccess = (client: Client, user: UserInfo, access: Access): Promise<SubjectAccessReviewStatus> =>
  reviewAccessBy(client)(user, attributesOf(access));

/** Throws 403, in the words of an API server, unless the cluster says that the user may. */
export const requireAccess = (client: Client, user: UserInfo, access: Access): Promise<void> =>
  requireBy(reviewAccessBy(client), user, access);

const attributesOf = (access: Access) => ({ resourceAttributes: { group: SUBRESOURCE_GROUP, ...access } });

async function requireBy(review: ReviewAccess, user: UserInfo, access: Access): Promise<void> {
  const { allowed, reason } = await review(user, attributesOf(access));
  if (allowed) return;
  const { group = SUBRESOURCE_GROUP, resource, verb, namespace, name = '' } = access;
  const what = access.subresource ? `${resource}/${access.subresource}` : resource;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  const words = `User "${user.username}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
  throw forbidden({ group, resource }, name, reason ? `${words}: ${reason}` : words);
}
