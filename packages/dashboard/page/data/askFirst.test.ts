import { expect, it } from 'vitest';
import type { Permission } from '../decisions/actions.ts';
import { askFirst, listPermission } from './askFirst.ts';

it.each([
  ['/api/v1/nodes', '', 'nodes', ''],
  ['/api/v1/namespaces?limit=500', '', 'namespaces', ''],
  ['/apis/kubevirt.io/v1/virtualmachines?limit=500', 'kubevirt.io', 'virtualmachines', ''],
  ['/apis/kubevirt.io/v1/namespaces/shop/virtualmachines', 'kubevirt.io', 'virtualmachines', 'shop'],
])('%s takes the permission to list %s/%s in %j', (path, group, resource, namespace) => {
  expect(listPermission(path)).toEqual({ permission: { verb: 'list', group, resource }, namespace });
});

it.each(['/version', '/api/v1/nodes/n1', '/apis/kubevirt.io/v1/namespaces/a/virtualmachines/b', '/openapi/v3'])(
  '%s is no list',
  (path) => {
    expect(listPermission(path)).toBeUndefined();
  },
);

const rights = (answer: () => Promise<boolean>) => {
  const asked: Permission[] = [];
  const ask = (permission: Permission): Promise<boolean> => {
    asked.push(permission);
    return answer();
  };
  return { ask, asked };
};

it('lists of the whole cluster are asked about, and refused without a request', async () => {
  const no = rights(async () => false);
  await expect(askFirst(no, '/api/v1/nodes')).rejects.toMatchObject({
    code: 403,
    message: 'You are not allowed to list nodes of the whole cluster.',
  });
  await askFirst(no, '/api/v1/namespaces/shop/pods');
  expect(no.asked).toHaveLength(1);
});

it('a server without reviews decides itself', async () => {
  await askFirst(
    rights(() => Promise.reject(new Error('404'))),
    '/api/v1/nodes',
  );
});
