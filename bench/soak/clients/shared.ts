import { ApiError, ConfigMap, type UnknownObject } from '@vireo/api';
import type { User } from './user.ts';
import type { Operation } from './writes.ts';

/** Objects that all clients write to. */
export const SHARED_NAMES = ['shared-0', 'shared-1', 'shared-2', 'shared-3'];
export const SHARED_NAMESPACE = 'soak-shared';

const at = { namespace: SHARED_NAMESPACE } as const;
const resources = (user: User) => user.client.of<UnknownObject>(ConfigMap);

/** A write that another client may be ahead of. */
async function unlessConflict(user: User, write: Promise<UnknownObject>): Promise<void> {
  try {
    user.ledger.note((await write) as never);
  } catch (error) {
    if (!(error instanceof ApiError && error.status.reason === 'Conflict')) throw error;
  }
}

/** Writes to objects that others write as well: whoever loses is told, and nobody's write is lost. */
export const SHARED: Readonly<Record<string, Operation>> = {
  patchShared: async (user) => {
    const patch = { data: { [user.name]: String(user.random.between(0, 1e6)) } };
    user.ledger.note(await resources(user).patch(user.random.pick(SHARED_NAMES), patch, { ...at, type: 'merge' }));
  },

  updateShared: async (user) => {
    const object = await resources(user).get(user.random.pick(SHARED_NAMES), at);
    const data = { ...(object.data as object), [user.name]: String(user.random.between(0, 1e6)) };
    await unlessConflict(user, resources(user).update({ ...object, data }));
  },

  applyShared: async (user) => {
    const name = user.random.pick(SHARED_NAMES);
    const data = { [`applied-${user.random.between(0, 9)}`]: user.name };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...at }, data };
    const force = user.random.next() < 0.5;
    const options = { ...at, type: 'apply', fieldManager: user.name, force } as const;
    await unlessConflict(user, resources(user).patch(name, body, options));
  },
};
