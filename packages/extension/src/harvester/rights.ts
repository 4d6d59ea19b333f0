import { SubjectAccessReview } from '@vireo/api';
import type { Client, UserInfo } from '@vireo/kube';
import type { Access } from '../authorize.ts';

/** What the one who asks may do. */
export interface Rights {
  may(access: Access): Promise<boolean>;
}

/** Asks the server once for all objects of a resource in a namespace; by name only where not all are allowed. */
export function rightsOf(client: Client, user: UserInfo): Rights {
  const known = new Map<string, Promise<boolean>>();
  const asked = (access: Access): Promise<boolean> => {
    const { group = '', verb, namespace = '', resource, subresource = '', name = '' } = access;
    const key = [group, verb, namespace, resource, subresource, name].join(' ');
    let answer = known.get(key);
    if (!answer) {
      answer = review(client, user, access);
      known.set(key, answer);
    }
    return answer;
  };
  return {
    async may({ name, ...all }) {
      return (await asked(all)) || (name !== undefined && name !== '' && (await asked({ ...all, name })));
    },
  };
}

async function review(client: Client, user: UserInfo, resourceAttributes: Access): Promise<boolean> {
  const { status } = await client.of(SubjectAccessReview).create({
    metadata: {},
    spec: {
      user: user.username,
      ...(user.uid && { uid: user.uid }),
      groups: [...user.groups],
      ...(user.extra && { extra: user.extra as Record<string, string[]> }),
      resourceAttributes: { ...resourceAttributes },
    },
  });
  return status?.allowed === true;
}
