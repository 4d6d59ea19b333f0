import { badRequest } from '@vireo/api';
import { ANONYMOUS, type HeaderValues, headerValues, prefixedHeaderValues, type UserInfo } from '@vireo/kube';
import type { Decision } from '../rbac/authorize.ts';
import { accessForbidden } from '../rbac/forbidden.ts';
import type { Attributes } from '../rbac/match.ts';
import { AUTHENTICATED_GROUP } from './authenticate.ts';
import { parseServiceAccountUsername, serviceAccountGroups } from './serviceAccount.ts';

const EXTRA_PREFIX = 'impersonate-extra-';
const AUTHENTICATION_GROUP = 'authentication.k8s.io';

/**
 * Who the request is to be treated as coming from: `user` unless Impersonate-* headers ask for somebody else, which
 * takes the verb `impersonate` on every part of the other identity. Throws 403 where one is missing.
 */
export function impersonate(
  user: UserInfo,
  headers: HeaderValues,
  authorize: (attributes: Attributes) => Decision,
): UserInfo {
  const wanted = readHeaders(headers);
  if (!wanted) return user;
  for (const part of requestsFor(wanted)) {
    const attributes: Attributes = { user, verb: 'impersonate', ...part };
    const decision = authorize(attributes);
    if (!decision.allowed) throw accessForbidden(attributes, decision.reason);
  }
  return identityOf(wanted);
}

interface Wanted {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

function readHeaders(headers: HeaderValues): Wanted | undefined {
  const first = (name: string): string => headerValues(headers, name)[0] ?? '';
  const wanted = {
    username: first('impersonate-user'),
    uid: first('impersonate-uid'),
    groups: headerValues(headers, 'impersonate-group'),
    extra: prefixedHeaderValues(headers, EXTRA_PREFIX),
  };
  if (wanted.username) return wanted;
  if (wanted.uid || wanted.groups.length > 0 || Object.keys(wanted.extra).length > 0)
    throw badRequest('Impersonate-Group, -Uid and -Extra headers require an Impersonate-User header');
  return undefined;
}

/** Each part of the identity, as the object that the caller must be allowed to impersonate. */
function requestsFor({ username, uid, groups, extra }: Wanted): Omit<Attributes, 'user' | 'verb'>[] {
  const account = parseServiceAccountUsername(username);
  return [
    account ? { group: '', resource: 'serviceaccounts', ...account } : { group: '', resource: 'users', name: username },
    ...groups.map((name) => ({ group: '', resource: 'groups', name })),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((name) => ({ group: AUTHENTICATION_GROUP, resource: 'userextras', subresource: key, name })),
    ),
    ...(uid ? [{ group: AUTHENTICATION_GROUP, resource: 'uids', name: uid }] : []),
  ];
}

function identityOf({ username, uid, groups, extra }: Wanted): UserInfo {
  const account = parseServiceAccountUsername(username);
  const named = groups.length === 0 && account ? serviceAccountGroups(account.namespace) : groups;
  const [unauthenticated = ''] = ANONYMOUS.groups;
  const isSaid = named.includes(AUTHENTICATED_GROUP) || named.includes(unauthenticated);
  const implied = username === ANONYMOUS.username ? unauthenticated : AUTHENTICATED_GROUP;
  return {
    username,
    ...(uid && { uid }),
    groups: isSaid ? named : [...named, implied],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
