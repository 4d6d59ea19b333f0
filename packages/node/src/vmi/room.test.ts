import type { Pod } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { grantedContainers, missingRoom } from './room.ts';

const node = { status: { allocatable: { cpu: '2', memory: '4Gi' } } };
const pod = (uid: string, requests: Record<string, string>, granted?: Record<string, string>, phase = 'Running') =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: uid, uid },
    spec: { containers: [{ name: 'compute', resources: { requests } }] },
    status: {
      phase,
      containerStatuses: [
        { name: 'compute', image: '', imageID: '', ready: true, restartCount: 0, allocatedResources: granted },
      ],
    },
  });
const big = pod('big', { cpu: '1', memory: '3Gi' });

it.each([
  ['nothing else is there', [], undefined],
  ['the others leave enough', [pod('a', { cpu: '1', memory: '1Gi' })], undefined],
  [
    'one of the others wants to grow, too, and has not yet',
    [pod('a', { memory: '2Gi' }, { memory: '1Gi' })],
    undefined,
  ],
  ['the others that take it have ended', [pod('a', { memory: '2Gi' }, undefined, 'Succeeded')], undefined],
  ['memory is short', [pod('a', { memory: '2Gi' })], '3 GiB of memory needed, 2 GiB free'],
  [
    'both are short',
    [pod('a', { cpu: '1500m', memory: '4Gi' })],
    '1 of cpu needed, 0.5 free; 3 GiB of memory needed, 0 bytes free',
  ],
])('a launcher that grows: %s', (_, others, missing) => {
  expect(missingRoom(node, [big, ...others], big)).toBe(missing);
});

it('a launcher is granted what it requests', () => {
  expect(grantedContainers(big)).toMatchObject([{ allocatedResources: { cpu: '1', memory: '3Gi' } }]);
});
