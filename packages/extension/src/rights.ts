import type { Client, ResourceRef, UserInfo } from '@vireo/kube';
import { type Access, reviewAccess } from './authorize.ts';

/** What a user may do. */
export interface Rights {
  may(access: Access): Promise<boolean>;
  mayGet(kind: ResourceRef, namespace: string, name: string): Promise<boolean>;
  /** Whether names may be learnt that nobody has said. */
  mayList(kind: ResourceRef, namespace: string): Promise<boolean>;
}

/** Asks the cluster once for all objects of a resource in a namespace; by name only where not all are allowed. */
export function rightsOf(client: Client, user: UserInfo): Rights {
  const known = new Map<string, Promise<boolean>>();
  const ask = (access: Access): Promise<boolean> => {
    const { group, verb, namespace, resource, subresource, name } = access;
    const key = JSON.stringify([group, verb, namespace, resource, subresource, name]);
    let response = known.get(key);
    if (!response) {
      response = reviewAccess(client, user, access).then(({ allowed }) => allowed);
      known.set(key, response);
    }
    return response;
  };
  const may = async ({ name, ...all }: Access): Promise<boolean> =>
    (await ask(all)) || (name !== undefined && name !== '' && (await ask({ ...all, name })));
  return {
    may,
    mayGet: ({ group, plural }, namespace, name) => may({ verb: 'get', group, resource: plural, namespace, name }),
    mayList: ({ group, plural }, namespace) => may({ verb: 'list', group, resource: plural, namespace }),
  };
}
