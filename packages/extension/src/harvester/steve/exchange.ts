import type { ApiRequest, Client, Clock, UserInfo } from '@vireo/kube';
import type { Action } from '../../actions/action.ts';
import type { ActionContext } from '../../actions/perform.ts';
import { rightsOf } from '../../rights.ts';
import { withFields } from './fields.ts';
import type { Row } from './objects.ts';
import { possibleFor } from './possible.ts';
import { toSteveObject } from './shape.ts';
import { findSteveType, type SteveType } from './types.ts';
import type { Urls } from './urls.ts';

/** What the Steve API is made of. */
export interface SteveApiOptions {
  readonly actions: readonly Action[];
  readonly context: ActionContext;
  /** A client with the rights of that user: objects are read and written as the one who asks. */
  readonly asUser: (user: UserInfo) => Client;
  readonly clock: Clock;
}

/** What it takes to answer about objects. */
export interface Exchange extends SteveApiOptions {
  readonly request: ApiRequest;
  readonly urls: Urls;
  /** The client of the one who asks. */
  readonly user: Client;
}

/** Objects as the Steve API shows them to the one who asks. */
export async function toSteveObjects(
  { actions, context, request, urls }: Exchange,
  type: SteveType,
  rows: readonly Row[],
) {
  const objects = rows.map(({ object }) => object);
  const possible = await possibleFor(context.client, request.user, type, actions, objects);
  const permissions = await permissionsFor({ context, request, urls }, objects);
  return rows.map(({ object, cells }, index) => {
    const shown = toSteveObject(type, object, cells, possible[index]!, urls);
    const granted = permissions?.[index];
    return withFields(granted ? { ...shown, resourcePermissions: granted } : shown, request.query);
  });
}

const CHECKED_VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/** What the user may do with the types that `checkPermissions` names, in the namespace that each object is or is in. */
async function permissionsFor(
  { context, request, urls }: Pick<Exchange, 'context' | 'request' | 'urls'>,
  objects: readonly Row['object'][],
): Promise<Record<string, Record<string, string>>[] | undefined> {
  const types = (request.query.get('checkPermissions') ?? '').split(',').flatMap((name) => findSteveType(name) ?? []);
  if (types.length === 0) return undefined;
  const { may } = rightsOf(context.client, request.user);
  return Promise.all(
    objects.map(async ({ kind, metadata }) => {
      const namespace = kind === 'Namespace' ? metadata.name : metadata.namespace;
      const granted = types.map(async (type) => {
        const { group, plural } = type.kind;
        const url = urls.collection(type, type.kind.namespaced ? namespace : undefined);
        const answers = CHECKED_VERBS.map(async (verb) => {
          const mayDo = await may({ group, resource: plural, verb, ...(namespace !== undefined && { namespace }) });
          return mayDo ? [[verb, url] as const] : [];
        });
        return [type.id, Object.fromEntries((await Promise.all(answers)).flat())] as const;
      });
      return Object.fromEntries(await Promise.all(granted));
    }),
  );
}
