import { ApiError, forbidden, SubjectAccessReview } from '@vireo/api';
import type { Client } from '@vireo/kube';
import type { ServiceRequest, UserInfo } from './http.ts';
import { SUBRESOURCE_GROUP } from './wellKnown.ts';

/** What a request wants to do, in RBAC's words. */
export interface Access {
  /** Default: that of the subresources of machines. */
  readonly group?: string;
  readonly verb: string;
  /** Missing: at the scope of the cluster. */
  readonly namespace?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly name?: string;
}

/** Lets a request through, or throws. */
export type Authorize = (request: ServiceRequest, access: Access) => Promise<void>;

/** Whoever called has authorised the request already: the server in whose process this runs. */
export const alreadyAuthorized: Authorize = async () => {};

/**
 * For an extension in the process of the server, which has authorised the request as any API server does: by the first
 * segment of the subresource. So whoever may `vnc` would have `vnc/screenshot` too; the cluster is asked about such.
 */
export function byServerInProcess(client: Client): Authorize {
  return async ({ user }, access) => {
    if (access.subresource?.includes('/')) await review(client, user, access);
  };
}

/**
 * Asks the cluster whether the user whom its front proxy names may. Only for a listener that takes requests from nobody
 * but that proxy: the headers are believed.
 */
export function bySubjectAccessReview(client: Client): Authorize {
  return ({ headers }, access) => review(client, remoteUser(headers), access);
}

/** Throws 403, in the words of an API server, unless the cluster says that the user may. */
export async function review(client: Client, user: UserInfo, access: Access): Promise<void> {
  const { status } = await client.of(SubjectAccessReview).create({
    metadata: {},
    spec: {
      user: user.username,
      groups: [...user.groups],
      ...(user.extra && { extra: user.extra as Record<string, string[]> }),
      resourceAttributes: { group: SUBRESOURCE_GROUP, ...access },
    },
  });
  if (status?.allowed) return;
  const { group = SUBRESOURCE_GROUP, resource, verb, namespace, name = '' } = access;
  const what = access.subresource ? `${resource}/${access.subresource}` : resource;
  const where = namespace ? `in the namespace "${namespace}"` : 'at the cluster scope';
  const words = `User "${user.username}" cannot ${verb} resource "${what}" in API group "${group}" ${where}`;
  throw forbidden({ group, resource }, name, status?.reason ? `${words}: ${status.reason}` : words);
}

const EXTRA = 'x-remote-extra-';

/** The user that a front proxy names in its headers. */
export function remoteUser(headers: ServiceRequest['headers']): UserInfo {
  const username = headers['x-remote-user'];
  if (!username) throw new ApiError('Unauthorized', 'the request names no user: X-Remote-User is missing');
  const extra = Object.entries(headers)
    .filter(([name]) => name.startsWith(EXTRA))
    .map(([name, value]) => [decodeURIComponent(name.slice(EXTRA.length)), valuesOf(value)] as const);
  return {
    username,
    groups: valuesOf(headers['x-remote-group']),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
  };
}

/** Repeated headers arrive joined by commas. */
const valuesOf = (value: string | undefined): string[] =>
  (value ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
