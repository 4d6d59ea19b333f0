import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { clusterRole } from '../testing/rbac.ts';
import { aggregatedRules, aggregationUpdate } from './aggregate.ts';
import { BOOTSTRAP_POLICY } from './bootstrap.ts';
import { covers } from './cover.ts';
import type { ClusterRole, PolicyRule } from './types.ts';

const rule = (resource: string): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });
const sum = (...selectors: Record<string, string>[]): ClusterRole => ({
  ...clusterRole('sum', []),
  aggregationRule: { clusterRoleSelectors: selectors.map((matchLabels) => ({ matchLabels })) },
});

describe('an aggregated role', () => {
  const all = [
    clusterRole('z', [rule('pods')], { to: 'sum' }),
    clusterRole('a', [rule('nodes'), rule('pods')], { to: 'sum' }),
    clusterRole('other', [rule('secrets')], { to: 'else' }),
    clusterRole('plain', [rule('events')]),
  ].map(persisted);

  it('has the rules of the roles that match, by name, each once', () => {
    expect(aggregatedRules(sum({ to: 'sum' }), all)).toEqual([rule('nodes'), rule('pods')]);
  });

  it('takes what any selector matches, in the order of the selectors', () => {
    expect(aggregatedRules(sum({ to: 'else' }, { to: 'sum' }), all)).toEqual([
      rule('secrets'),
      rule('nodes'),
      rule('pods'),
    ]);
  });

  it('does not take from itself', () => {
    const metadata = { name: 'sum', labels: { to: 'sum' } };
    const self = persisted({ ...sum({ to: 'sum' }), rules: [rule('secrets')], metadata });
    expect(aggregatedRules(self, [self])).toEqual([]);
  });

  it('is written only when its rules change', () => {
    const role = sum({ to: 'sum' });
    expect(aggregationUpdate(role, all)).toEqual([rule('nodes'), rule('pods')]);
    expect(aggregationUpdate({ ...role, rules: [rule('nodes'), rule('pods')] }, all)).toBeUndefined();
    expect(aggregationUpdate(clusterRole('plain', []), all)).toBeUndefined();
  });
});

it('admin, edit and view come to contain each other', () => {
  let roles = (BOOTSTRAP_POLICY.filter((object) => object.kind === 'ClusterRole') as ClusterRole[]).map(persisted);
  // view feeds edit and edit feeds admin: three rounds settle them, whatever the order.
  for (let round = 0; round < 3; round++)
    roles = roles.map((role) => ({ ...role, rules: aggregationUpdate(role, roles) ?? role.rules }));
  expect(roles.filter((role) => aggregationUpdate(role, roles))).toEqual([]);
  const rulesOf = (name: string) => roles.find((role) => role.metadata.name === name)?.rules ?? [];
  expect(covers(rulesOf('admin'), rulesOf('edit'))).toBe(true);
  expect(covers(rulesOf('edit'), rulesOf('view'))).toBe(true);
  expect(covers(rulesOf('view'), [rule('pods')])).toBe(true);
  expect(covers(rulesOf('view'), [rule('secrets')])).toBe(false);
  expect(
    covers(rulesOf('edit'), [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] }]),
  ).toBe(false);
});
