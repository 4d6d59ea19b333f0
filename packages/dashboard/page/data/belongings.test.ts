import { expect, it } from 'vitest';
import type { Permission } from '../decisions/actions.ts';
import { type Served, SNAPSHOTS } from '../decisions/features.ts';
import type { Api } from './api.ts';
import { readBelongings } from './belongings.ts';
import { Refused } from './refused.ts';

/** A server that has two pages of claims, and refuses and lacks what it is told to. */
async function read(
  namespaces: readonly string[],
  mayList: (permission: Permission, namespace: string) => boolean,
  isServed: (what: Served) => boolean = () => true,
) {
  const asked: string[] = [];
  const request = async (_method: string, path: string): Promise<unknown> => {
    asked.push(path);
    if (!path.includes('persistentvolumeclaims')) return { items: [] };
    const isFirst = !path.includes('continue=');
    const name = isFirst ? 'one' : 'two';
    return { items: [{ metadata: { name } }], metadata: isFirst ? { continue: 'more' } : {} };
  };
  const rights = { ask: async (permission: Permission, namespace: string) => mayList(permission, namespace) };
  const source = { api: { request } as Pick<Api, 'request'>, rights, signal: new AbortController().signal };
  return { belongings: await readBelongings(source, namespaces, isServed), asked };
}

it('all pages are read, in one namespace', async () => {
  const { belongings, asked } = await read(['shop'], () => true);
  expect(belongings).toMatchObject({
    disks: [{ metadata: { name: 'one' } }, { metadata: { name: 'two' } }],
    snapshots: [],
    troubles: [],
  });
  expect(asked.every((path) => path.includes('/namespaces/shop/'))).toBe(true);
});

it('several namespaces are read at once by those who may, and one by one by others', async () => {
  const all = await read(['a', 'b'], () => true);
  expect(all.asked.some((path) => path.includes('/namespaces/'))).toBe(false);
  const each = await read(['a', 'b'], (_, namespace) => namespace !== '');
  expect(each.belongings.disks).toHaveLength(4);
});

it('what may not be listed is not asked for, and is told', async () => {
  const { belongings, asked } = await read(['shop'], ({ resource }) => resource !== 'persistentvolumeclaims');
  expect(belongings).toEqual({
    disks: undefined,
    snapshots: [],
    troubles: ['You are not allowed to list persistentvolumeclaims in namespace shop.'],
  });
  expect(asked.some((path) => path.includes('persistentvolumeclaims'))).toBe(false);
});

it('a server without snapshots has none', async () => {
  const { belongings, asked } = await read(
    ['shop'],
    () => true,
    (what) => what !== SNAPSHOTS,
  );
  expect(belongings.snapshots).toEqual([]);
  expect(asked.some((path) => path.includes('snapshot'))).toBe(false);
});

it('a server that does not answer in time is told', async () => {
  const request = async (): Promise<never> => {
    throw new DOMException('The operation timed out.', 'TimeoutError');
  };
  const ask = async (): Promise<never> => {
    throw new Refused(403, 'no reviews');
  };
  const source = { api: { request }, rights: { ask }, signal: new AbortController().signal };
  const { disks, snapshots, troubles } = await readBelongings(source, ['shop'], () => true);
  expect([disks, snapshots]).toEqual([undefined, undefined]);
  expect(troubles).toEqual(['The server did not answer in time.']);
});
