import { expect, test } from 'vitest';
import { changeProblems, problems } from '../../testing/strategies.ts';
import { nodeStrategy } from './node.ts';

const node = (spec: object) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec });

test.each<[string, object, string[]]>([
  ['a cordoned node', { unschedulable: true, taints: [{ key: 'a', effect: 'NoSchedule' }] }, []],
  [
    'a taint without key and effect',
    { taints: [{}] },
    ['spec.taints[0].key: Required value', 'spec.taints[0].effect: Required value'],
  ],
  [
    'an unknown effect',
    { taints: [{ key: 'a', effect: 'Slow' }] },
    [
      'spec.taints[0].effect: Unsupported value: "Slow": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
  [
    'one taint twice, whatever its value',
    {
      taints: [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', value: 'x', effect: 'NoSchedule' },
      ],
    },
    ['spec.taints[1]: Duplicate value: "a:NoSchedule"'],
  ],
  [
    'a range that is none',
    { podCIDRs: ['10.0.0.0'] },
    ['spec.podCIDRs[0]: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ],
])('%s', (_, spec, expected) => {
  expect(problems(nodeStrategy, node(spec))).toEqual(expected);
});

test('provider and pod range are filled in once', () => {
  const set = { providerID: 'a', podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] };
  expect(changeProblems(nodeStrategy, node(set), node({}))).toEqual([]);
  expect(changeProblems(nodeStrategy, node({ ...set, unschedulable: true }), node(set))).toEqual([]);
  expect(changeProblems(nodeStrategy, node({ providerID: 'b', podCIDRs: ['10.1.0.0/24'] }), node(set))).toEqual([
    'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
  ]);
});
