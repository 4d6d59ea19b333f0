import type { Permission } from '../decisions/actions.ts';
import { Refused } from './refused.ts';
import type { Rights } from './rights.ts';

/** The list of a kind: its group, if it has one, its namespace, if it is of one, and its resource. */
const LIST = /^\/(?:api\/[^/]+|apis\/([^/]+)\/[^/]+)\/(?:namespaces\/([^/]+)\/)?([^/?]+)(?:\?|$)/;

/** The permission that reading a path takes, and where; undefined for what is no list. */
export function listPermission(path: string): { permission: Permission; namespace: string } | undefined {
  const [, group = '', namespace = '', resource] = LIST.exec(path) ?? [];
  if (resource === undefined) return undefined;
  return { permission: { verb: 'list', group, resource }, namespace: decodeURIComponent(namespace) };
}

/**
 * Asks whether a list may be read before it is: of the whole cluster only, unless all are meant. Most users have a role in
 * some namespaces only, and refusals fill the server's logs and the browser's console.
 */
export async function askFirst(rights: Pick<Rights, 'ask'>, path: string, isAlways = false): Promise<void> {
  const list = listPermission(path);
  if (!list || !(isAlways || list.namespace === '')) return;
  // A server that answers no reviews decides when it is asked for the list.
  if (await rights.ask(list.permission, list.namespace).catch(() => true)) return;
  const { group, resource } = list.permission;
  const what = group === '' ? resource : `${resource}.${group}`;
  const where = list.namespace === '' ? 'of the whole cluster' : `in namespace ${list.namespace}`;
  throw new Refused(403, `You are not allowed to list ${what} ${where}.`);
}
