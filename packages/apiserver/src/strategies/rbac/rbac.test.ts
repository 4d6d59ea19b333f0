import { describe, expect, test } from 'vitest';
import { changeProblems, problems } from '../../testing/strategies.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './bindings.ts';
import { clusterRoleStrategy, roleStrategy } from './roles.ts';

describe('a rule', () => {
  const nonResource = { verbs: ['get'], nonResourceURLs: ['/healthz'] };

  test.each<[string, object, string[], string[]]>([
    ['of verbs on resources', { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }, [], []],
    [
      'of nothing',
      {},
      [
        'rules[0].verbs: Required value: verbs must contain at least one value',
        'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
        'rules[0].resources: Required value: resource rules must supply at least one resource',
      ],
      [
        'rules[0].verbs: Required value: verbs must contain at least one value',
        'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
        'rules[0].resources: Required value: resource rules must supply at least one resource',
      ],
    ],
    [
      'of paths, which have no namespace',
      nonResource,
      ['rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs'],
      [],
    ],
    [
      'of paths and resources',
      { ...nonResource, resources: ['pods'] },
      [
        'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: namespaced rules cannot apply to non-resource URLs',
        'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
      [
        'rules[0].nonResourceURLs: Invalid value: ["/healthz"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
    ],
  ])('%s', (_, rule, inRole, inClusterRole) => {
    expect(problems(roleStrategy, { metadata: { name: 'r' }, rules: [rule] })).toEqual(inRole);
    expect(problems(clusterRoleStrategy, { metadata: { name: 'r' }, rules: [rule] })).toEqual(inClusterRole);
  });

  test('that aggregates others says which', () => {
    expect(problems(clusterRoleStrategy, { metadata: { name: 'r' }, aggregationRule: {} })).toEqual([
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ]);
  });
});

describe('a binding', () => {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
  const binding = (rest: object) => ({ metadata: { name: 'b' }, roleRef, ...rest });

  test.each<[string, object, string[]]>([
    [
      'of all three kinds of subjects',
      {
        subjects: [
          { kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' },
          { kind: 'Group', name: 'ops', apiGroup: 'rbac.authorization.k8s.io' },
          { kind: 'ServiceAccount', name: 'default', namespace: 'team' },
        ],
      },
      [],
    ],
    [
      'to nothing',
      { roleRef: undefined },
      ['roleRef.kind: Unsupported value: "": supported values: "ClusterRole"', 'roleRef.name: Required value'],
    ],
    [
      'of nobody, of an account without namespace, and of a stranger',
      { subjects: [{ kind: 'User' }, { kind: 'ServiceAccount', name: 'a' }, { kind: 'Robot', name: 'r' }] },
      [
        'subjects[0].name: Required value',
        'subjects[1].namespace: Required value',
        'subjects[2].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
      ],
    ],
    [
      'in another group',
      { roleRef: { ...roleRef, apiGroup: 'example.com' } },
      ['roleRef.apiGroup: Unsupported value: "example.com": supported values: "rbac.authorization.k8s.io"'],
    ],
  ])('%s', (_, rest, expected) => {
    expect(problems(clusterRoleBindingStrategy, binding(rest))).toEqual(expected);
  });

  test('in a namespace may also be to a Role', () => {
    expect(problems(roleBindingStrategy, binding({ roleRef: { ...roleRef, kind: 'Role' } }))).toEqual([]);
    expect(problems(clusterRoleBindingStrategy, binding({ roleRef: { ...roleRef, kind: 'Role' } }))).toHaveLength(1);
  });

  test.each([
    ['RoleBinding', roleBindingStrategy],
    ['ClusterRoleBinding', clusterRoleBindingStrategy],
  ])('stays bound to its role: %s', (_, strategy) => {
    const other = { ...roleRef, name: 'edit' };
    expect(changeProblems(strategy, binding({ roleRef: other }), binding({}))).toEqual([
      `roleRef: Invalid value: ${JSON.stringify(other)}: cannot change roleRef`,
    ]);
  });
});
