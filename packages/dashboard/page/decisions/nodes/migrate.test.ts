import { expect, it } from 'vitest';
import { type Movable, migrateObstacle, migratePermission, migrateRequest } from '../actions.ts';

const guest: Movable = {
  namespace: 'shop',
  name: 'web',
  isVm: true,
  isDeleting: false,
  phase: 'Running',
  node: 'n1',
  liveMigratable: { type: 'LiveMigratable', status: 'True' },
  isMigrating: false,
};
const blocked = {
  type: 'LiveMigratable',
  status: 'False',
  reason: 'DisksNotLiveMigratable',
  message: 'claim is local',
};

it.each([
  [{}, undefined],
  [{ phase: 'Scheduling' }, 'It is not running.'],
  [{ isDeleting: true }, 'It is being deleted.'],
  [{ isMigrating: true }, 'It is migrating already.'],
  [{ liveMigratable: blocked }, 'claim is local'],
  [{ liveMigratable: undefined }, undefined],
])('%j: %s', (more, reason) => {
  expect(migrateObstacle({ ...guest, ...more })).toBe(reason);
});

it('a VM migrates by its subresource, an instance without one by an object', () => {
  expect(migrateRequest(guest, 'n2')).toEqual({
    method: 'PUT',
    path: '/apis/subresources.kubevirt.io/v1/namespaces/shop/virtualmachines/web/migrate',
    body: { addedNodeSelector: { 'kubernetes.io/hostname': 'n2' } },
  });
  expect(migrateRequest(guest, undefined).body).toEqual({});
  expect(migrateRequest({ ...guest, isVm: false }, undefined)).toMatchObject({
    method: 'POST',
    body: { spec: { vmiName: 'web' } },
  });
  expect(migratePermission(false).verb).toBe('create');
});
