import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { parseRequestInfo } from '../requestInfo.ts';
import { user } from '../testing/rbac.ts';
import { decide, parsePolicy, type Rule } from './policy.ts';

const policyOf = (rules: object[], more: object = {}) =>
  parsePolicy(stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules, ...more }), 'policy.yaml');

describe('a rule', () => {
  const level = (rule: Omit<Rule, 'level'>, method: string, path: string, who = user('ada', 'dev')) =>
    decide(policyOf([{ ...rule, level: 'Request' }]), who, parseRequestInfo(method, path, new URLSearchParams())).level;
  const POD = '/api/v1/namespaces/default/pods/web';
  const core = (resources: string[], resourceNames?: string[]) => ({
    resources: [{ group: '', resources, ...(resourceNames && { resourceNames }) }],
  });

  test.each<[string, Omit<Rule, 'level'>, string, string, boolean]>([
    ['about everything', {}, 'GET', '/healthz', true],
    ['about a user', { users: ['ada'] }, 'GET', POD, true],
    ['about another user', { users: ['eve'] }, 'GET', POD, false],
    ['about a group', { userGroups: ['dev', 'ops'] }, 'GET', POD, true],
    ['about another group', { userGroups: ['ops'] }, 'GET', POD, false],
    ['about a verb', { verbs: ['get'] }, 'GET', POD, true],
    ['about another verb', { verbs: ['update'] }, 'GET', POD, false],
    ['about a resource', core(['pods']), 'GET', POD, true],
    ['about a resource, not its subresources', core(['pods']), 'GET', `${POD}/log`, false],
    ['about a subresource', core(['pods/log']), 'GET', `${POD}/log`, true],
    ['about all subresources', core(['pods/*']), 'GET', `${POD}/log`, true],
    ['about one subresource of all', core(['*/log']), 'GET', `${POD}/log`, true],
    ['about all resources', core(['*']), 'GET', `${POD}/log`, true],
    ['about a group of resources', { resources: [{ group: 'apps' }] }, 'GET', '/apis/apps/v1/deployments', true],
    ['about another group of resources', { resources: [{ group: 'apps' }] }, 'GET', POD, false],
    ['about a name', core(['pods'], ['web']), 'GET', POD, true],
    ['about another name', core(['pods'], ['db']), 'GET', POD, false],
    ['about a namespace', { namespaces: ['default'] }, 'GET', POD, true],
    ['about another namespace', { namespaces: ['kube-system'] }, 'GET', POD, false],
    ['about what is in no namespace', { namespaces: [''] }, 'GET', '/api/v1/nodes', true],
    ['about a path', { nonResourceURLs: ['/healthz*'] }, 'GET', '/healthz/ping', true],
    ['about another path', { nonResourceURLs: ['/version'] }, 'GET', '/healthz', false],
    ['about paths, not resources', { nonResourceURLs: ['*'] }, 'GET', POD, false],
  ])('%s', (_, rule, method, path, isMatch) => {
    expect(level(rule, method, path)).toBe(isMatch ? 'Request' : 'None');
  });

  test('that comes first decides, with its own stages and those of the policy', () => {
    const policy = policyOf(
      [
        { level: 'None', users: ['eve'] },
        { level: 'Metadata', omitStages: ['ResponseStarted'], omitManagedFields: false },
        { level: 'RequestResponse' },
      ],
      { omitStages: ['RequestReceived'], omitManagedFields: true },
    );
    const info = parseRequestInfo('GET', POD, new URLSearchParams());
    expect(decide(policy, user('eve'), info).level).toBe('None');
    expect(decide(policy, user('ada'), info)).toEqual({
      level: 'Metadata',
      omitStages: ['RequestReceived', 'ResponseStarted'],
      omitManagedFields: false,
    });
  });
});

test.each<[string, object, string]>([
  ['no level', {}, 'rules[0].level: Required value'],
  [
    'a level that nobody knows',
    { level: 'All' },
    'rules[0].level: Unsupported value: "All": supported values: "Metadata", "None", "Request", "RequestResponse"',
  ],
  [
    'a path and a resource',
    { level: 'None', nonResourceURLs: ['/x'], resources: [{ group: '' }] },
    'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
  ],
  [
    'a path that is none',
    { level: 'None', nonResourceURLs: ['x'] },
    `rules[0].nonResourceURLs[0]: Invalid value: "x": non-resource URL rules must begin with a '/' character`,
  ],
  [
    'a star in the middle',
    { level: 'None', nonResourceURLs: ['/a*/b'] },
    "non-resource URL wildcards '*' must be the final character of the rule",
  ],
  [
    'names of nothing',
    { level: 'None', resources: [{ group: '', resourceNames: ['a'] }] },
    'using resourceNames requires at least one resource',
  ],
  [
    'a stage that nobody knows',
    { level: 'None', omitStages: ['End'] },
    'rules[0].omitStages[0]: Unsupported value: "End"',
  ],
  ['a field that nobody knows', { level: 'None', user: ['a'] }, 'rules[0].user: unknown field'],
  ['a text for a list', { level: 'None', users: 'a' }, 'rules[0].users: must be a list of strings'],
])('a policy with %s is refused by name', (_, rule, problem) => {
  expect(() => policyOf([rule])).toThrow(problem);
});

test('what is not a policy at all is refused', () => {
  expect(() => parsePolicy('kind: Pod', 'policy.yaml')).toThrow('policy.yaml: expected a Policy of audit.k8s.io/v1');
  expect(() => parsePolicy('a: [', 'policy.yaml')).toThrow('policy.yaml is not valid YAML');
});
