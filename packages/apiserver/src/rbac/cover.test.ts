import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers, describeRules, missingRules } from './cover.ts';
import { type Attributes, ruleAllows } from './match.ts';
import type { PolicyRule } from './types.ts';

const pods = (...verbs: string[]): PolicyRule => ({ apiGroups: [''], resources: ['pods'], verbs });

describe('rules are covered', () => {
  it.each<[string, PolicyRule[], PolicyRule[]]>([
    ['by themselves', [pods('get')], [pods('get')]],
    ['by a rule with more verbs', [pods('get', 'list')], [pods('list')]],
    ['by several rules, one for each verb', [pods('get'), pods('list')], [pods('get', 'list')]],
    [
      'by a star',
      [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      [{ apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['patch'] }],
    ],
    [
      'by a star before the subresource',
      [{ apiGroups: [''], resources: ['*/log'], verbs: ['get'] }],
      [{ apiGroups: [''], resources: ['pods/log'], verbs: ['get'] }],
    ],
    ['for one name by a rule for all names', [pods('get')], [{ ...pods('get'), resourceNames: ['a'] }]],
    [
      'for names one by one',
      [
        { ...pods('get'), resourceNames: ['a'] },
        { ...pods('get'), resourceNames: ['b'] },
      ],
      [{ ...pods('get'), resourceNames: ['a', 'b'] }],
    ],
    [
      'for paths by a pattern',
      [{ nonResourceURLs: ['/logs/*'], verbs: ['get'] }],
      [{ nonResourceURLs: ['/logs/x/*'], verbs: ['get'] }],
    ],
    ['when they allow nothing', [], [{ verbs: ['get'] }]],
  ])('%s', (_, held, wanted) => {
    expect(missingRules(held, wanted)).toEqual([]);
  });
});

describe('rules are not covered', () => {
  it.each<[string, PolicyRule[], PolicyRule[]]>([
    ['by nothing', [], [pods('get')]],
    ['for all names by a rule for one', [{ ...pods('get'), resourceNames: ['a'] }], [pods('get')]],
    ['for all verbs by many', [pods('get', 'list', 'watch', 'create', 'update', 'patch', 'delete')], [pods('*')]],
    ['for a subresource by its resource', [pods('get')], [{ ...pods('get'), resources: ['pods/log'] }]],
    ['for another group', [pods('get')], [{ ...pods('get'), apiGroups: ['metrics.k8s.io'] }]],
    [
      'for a wider pattern',
      [{ nonResourceURLs: ['/logs/*'], verbs: ['get'] }],
      [{ nonResourceURLs: ['/*'], verbs: ['get'] }],
    ],
    [
      'for paths by resources',
      [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
    ],
  ])('%s', (_, held, wanted) => {
    expect(covers(held, wanted)).toBe(false);
  });
});

it('missing rules are listed with their verbs together, in order', () => {
  const wanted = [
    { apiGroups: ['', 'apps'], resources: ['x'], resourceNames: ['n'], verbs: ['get', 'list'] },
    { nonResourceURLs: ['/a'], verbs: ['get'] },
  ];
  expect(describeRules(missingRules([], wanted))).toEqual([
    '{APIGroups:[""], Resources:["x"], ResourceNames:["n"], Verbs:["get" "list"]}',
    '{APIGroups:["apps"], Resources:["x"], ResourceNames:["n"], Verbs:["get" "list"]}',
    '{NonResourceURLs:["/a"], Verbs:["get"]}',
  ]);
});

const some = (...values: string[]) => fc.subarray(values, { minLength: 1 });
const resourceRule = fc.record(
  {
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', 'nodes', '*/log', '*'),
    resourceNames: fc.subarray(['a', 'b']),
    verbs: some('get', 'list', '*'),
  },
  { requiredKeys: ['apiGroups', 'resources', 'verbs'] },
);
const pathRule = fc.record({ nonResourceURLs: some('/a', '/a/*', '/a/b', '*'), verbs: some('get', '*') });
const rules: fc.Arbitrary<PolicyRule[]> = fc.array(fc.oneof(resourceRule, pathRule), { maxLength: 4 });

const someone = { username: 'x', groups: [] };
const request: fc.Arbitrary<Attributes> = fc.oneof(
  fc.record({
    user: fc.constant(someone),
    verb: fc.constantFrom('get', 'list', 'delete'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'nodes', 'jobs'),
    subresource: fc.constantFrom('', 'log'),
    name: fc.constantFrom('', 'a', 'c'),
  }),
  fc.record({
    user: fc.constant(someone),
    verb: fc.constantFrom('get', 'post'),
    path: fc.constantFrom('/a', '/a/', '/a/b', '/a/b/c', '/c'),
  }),
);

describe('covering', () => {
  it('is reflexive', () => {
    fc.assert(fc.property(rules, (held) => covers(held, held)));
  });

  it('is transitive', () => {
    fc.assert(
      fc.property(rules, rules, rules, (a, b, c) => {
        // Growing the sets makes the premise true in every run.
        const [large, middle] = [
          [...a, ...b, ...c],
          [...b, ...c],
        ];
        return covers(large, middle) && covers(middle, c) && covers(large, c);
      }),
    );
    fc.assert(
      fc.property(rules, rules, rules, (a, b, c) => !(covers(a, b) && covers(b, c)) || covers(a, c)),
      { numRuns: 2000 },
    );
  });

  it('means that whatever the covered rules allow is allowed', () => {
    fc.assert(
      fc.property(rules, rules, request, (held, wanted, attributes) => {
        const allowed = (by: PolicyRule[]) => by.some((rule) => ruleAllows(rule, attributes));
        return !covers(held, wanted) || !allowed(wanted) || allowed(held);
      }),
      { numRuns: 5000 },
    );
  });
});
