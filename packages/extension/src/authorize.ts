import { forbidden, SubjectAccessReview, type SubjectAccessReviewStatus } from '@vireo/api';
import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import type { ApiRequest, Client, UserInfo } from '@vireo/kube';

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

/** Asks the cluster about every request: for those that came by the extension's own listener. */
export function bySubjectAccessReview(client: Client): Authorize {
  return ({ user }, access) => requireAccess(client, user, access);
}

/** Asks the cluster whether a user may do something. */
export async function reviewAccess(
  client: Client,
  { username, uid, groups, extra }: UserInfo,
  access: Access,
): Promise<SubjectAccessReviewStatus> {
  const { status } = await client.of(SubjectAccessReview).create({
    metadata: {},
    spec: {
      user: username,
      ...(uid && { uid }),
      groups: [...groups],
      ...(extra && { extra: extra as Record<string, string[]> }),
      resourceAttributes: { group: SUBRESOURCE_GROUP, ...access },
    },
  });
  return status ?? { allowed: false };
}

/** Throws 403, in the words of an API server, unless the cluster says that the user may. */
export async function requireAccess(client: Client, user: UserInfo, access: Access): Promise<void> {
  const { allowed, reason } = await reviewAccess(client, user, access);
  if (allowed) return;
  const { group = SUBRESOURCE_GROUP, resource, verb, namespace, name = '' } = access;
  const what = access.subresource ? `${resource}/${access.subresource}` : resource;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  const words = `User "${user.username}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
  throw forbidden({ group, resource }, name, reason ? `${words}: ${reason}` : words);
}
