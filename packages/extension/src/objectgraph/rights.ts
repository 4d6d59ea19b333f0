import { SubjectAccessReview } from '@vireo/api';
import type { Client, ResourceRef, UserInfo } from '@vireo/kube';

/** What the one who asks may read. */
export interface Rights {
  mayGet(kind: ResourceRef, namespace: string, name: string): Promise<boolean>;
  /** Whether names may be learnt that nobody has said. */
  mayList(kind: ResourceRef, namespace: string): Promise<boolean>;
}

/** Asks the server, once for all objects of a kind in a namespace; by name only where not all are allowed. */
export function rightsOf(client: Client, user: UserInfo): Rights {
  const known = new Map<string, Promise<boolean>>();
  const may = (verb: string, { group, plural }: ResourceRef, namespace: string, name = ''): Promise<boolean> => {
    const key = JSON.stringify([verb, group, plural, namespace, name]);
    let answer = known.get(key);
    if (!answer) {
      answer = review(client, user, { verb, group, resource: plural, namespace, ...(name && { name }) });
      known.set(key, answer);
    }
    return answer;
  };
  return {
    mayList: (kind, namespace) => may('list', kind, namespace),
    mayGet: async (kind, namespace, name) =>
      (await may('get', kind, namespace)) || (await may('get', kind, namespace, name)),
  };
}

async function review(
  client: Client,
  user: UserInfo,
  resourceAttributes: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { status } = await client.of(SubjectAccessReview).create({
    metadata: {},
    spec: {
      user: user.username,
      ...(user.uid && { uid: user.uid }),
      groups: [...user.groups],
      ...(user.extra && { extra: user.extra as Record<string, string[]> }),
      resourceAttributes,
    },
  });
  return status?.allowed === true;
}
