import type { Pod } from '@vireo/api';
import { expect, it } from 'vitest';
import { resizedContainers, validateResize } from './podResize.ts';

type Resources = NonNullable<NonNullable<Pod['spec']>['containers'][number]['resources']>;

const pod = (resources: Resources, phase = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'compute', image: 'a', resources }] },
  status: { phase },
});
const before = { requests: { cpu: '100m', memory: '1Gi' }, limits: { 'example.io/device': '1' } };

it.each<[string, Resources, string[]]>([
  ['more of both', { ...before, requests: { cpu: '300m', memory: '2Gi' } }, []],
  ['less memory', { ...before, requests: { cpu: '100m', memory: '512Mi' } }, []],
  [
    'another device',
    { ...before, limits: { 'example.io/device': '2' } },
    ['spec.containers[0].resources.limits: only cpu and memory resources are mutable'],
  ],
  [
    'no request',
    { ...before, requests: { cpu: '100m' } },
    ['spec.containers[0].resources.requests: resource requests cannot be removed'],
  ],
  [
    'another class of service',
    { ...before, limits: { ...before.limits, cpu: '100m', memory: '1Gi' } },
    ['spec: Pod QOS Class may not change as a result of resizing'],
  ],
])('a pod is resized: %s', (_, resources, problems) => {
  const found = validateResize(pod(resources), pod(before)).map(({ field, text }) => `${field}: ${text}`);
  expect(found).toHaveLength(problems.length);
  for (const [index, problem] of problems.entries()) {
    const [path = '', why = ''] = problem.split(/: (.*)/);
    expect(found[index]).toContain(path);
    expect(found[index]).toContain(why);
  }
});

it('a pod that has ended is not resized', () => {
  expect(validateResize(pod(before), pod(before, 'Succeeded'))).toHaveLength(1);
});

it('nothing but resources changes', () => {
  const sent = [{ name: 'compute', image: 'b', resources: { requests: { cpu: '1' } } }, { name: 'new' }];
  expect(resizedContainers(pod(before).spec?.containers, sent)).toEqual([
    { name: 'compute', image: 'a', resources: { requests: { cpu: '1' } } },
  ]);
});
