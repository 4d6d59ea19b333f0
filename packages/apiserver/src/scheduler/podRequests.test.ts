import { describe, expect, it } from 'vitest';
import { pod } from '../testing/scheduler.ts';
import { podRequests } from './podRequests.ts';

const container = (requests: Record<string, string>, more = {}) => ({ name: 'c', resources: { requests }, ...more });

describe('podRequests', () => {
  it.each<[string, Parameters<typeof pod>[1], Record<string, number>]>([
    [
      'containers add up',
      { containers: [container({ cpu: '100m' }), container({ cpu: '1', memory: '1Gi' })] },
      { cpu: 1100, memory: 2 ** 30 },
    ],
    [
      'a larger init container counts',
      { containers: [container({ cpu: '100m' })], initContainers: [container({ cpu: '500m' })] },
      { cpu: 500 },
    ],
    [
      'a smaller one does not',
      { containers: [container({ cpu: '1' })], initContainers: [container({ cpu: '500m' })] },
      { cpu: 1000 },
    ],
    [
      'sidecars run beside the containers and the later init containers',
      {
        containers: [container({ cpu: '100m' })],
        initContainers: [container({ cpu: '200m' }, { restartPolicy: 'Always' }), container({ cpu: '300m' })],
      },
      { cpu: 500 },
    ],
    [
      'overhead comes on top',
      { containers: [container({ memory: '1Ki' })], overhead: { memory: '1Ki' } },
      { memory: 2048 },
    ],
    [
      'a limit alone is a request',
      { containers: [{ name: 'c', resources: { limits: { 'devices.kubevirt.io/kvm': '1' } } }] },
      { 'devices.kubevirt.io/kvm': 1 },
    ],
  ])('%s', (_, spec, expected) => {
    expect(podRequests(pod('p', spec))).toEqual(expected);
  });
});
