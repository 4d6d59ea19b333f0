import { describe, expect, test } from 'vitest';
import { texts } from '../../testing/strategies.ts';
import { isExtendedResource, validateResources } from './resources.ts';

type Resources = Parameters<typeof validateResources>[0];

describe('resources', () => {
  test.each<[string, Resources, string[]]>([
    ['requests below limits are fine', { requests: { cpu: '500m' }, limits: { cpu: 1 } }, []],
    [
      'a request above its limit',
      { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } },
      ['resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi'],
    ],
    [
      'a negative amount',
      { requests: { cpu: '-1' } },
      ['resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      'a name that no container has',
      { limits: { gpu: '1', pods: '1' } },
      [
        'resources.limits[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
        'resources.limits[gpu]: Invalid value: "gpu": must be a standard resource for containers',
        'resources.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
      ],
    ],
    [
      'half a device',
      { limits: { 'devices.kubevirt.io/kvm': '500m' } },
      ['resources.limits[devices.kubevirt.io/kvm]: Invalid value: "500m": must be an integer'],
    ],
    [
      'a device that is requested but not limited',
      { requests: { 'devices.kubevirt.io/kvm': '1' } },
      ['resources.limits: Required value: Limit must be set for non overcommitable resources'],
    ],
    [
      'devices that are overcommitted',
      { requests: { 'nvidia.com/gpu': '1' }, limits: { 'nvidia.com/gpu': '2' } },
      ['resources.requests: Invalid value: "1": must be equal to nvidia.com/gpu limit of 2'],
    ],
    [
      'huge pages alone',
      { limits: { 'hugepages-2Mi': '2Mi' } },
      ['resources: Forbidden: HugePages require cpu or memory'],
    ],
    ['a claim that the pod has not', { claims: [{ name: 'x' }] }, ['resources.claims[0].name: Not found: "x"']],
  ])('%s', (_, resources, expected) => {
    expect(texts(validateResources(resources, 'resources'))).toEqual(expected);
  });
});

test.each([
  ['devices.kubevirt.io/kvm', true],
  ['nvidia.com/gpu', true],
  ['cpu', false],
  ['kubernetes.io/x', false],
  ['requests.nvidia.com/gpu', false],
])('%s is an extended resource: %s', (name, expected) => {
  expect(isExtendedResource(name)).toBe(expected);
});
