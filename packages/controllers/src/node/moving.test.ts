import type { Persisted, Pod } from '@vireo/api';
import { isMovingTo, isTargetGivenUp, mayBeAtTarget } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, frozen, vmiWith } from '../testing/objects.ts';
import { decideMoving, movingText, type ObservedTarget } from './moving.ts';

const open = { migrationUid: 'u', sourceNode: 'a', targetNode: 'b', targetPod: 'to', startTimestamp: 't' };
const migrating = (state: VmiStatus['migrationState'] = open, nodeName = 'a', asked?: string) =>
  vmiWith(
    { phase: 'Unknown', nodeName, migrationState: state },
    asked === undefined ? {} : { annotations: { 'vireo.io/asked-target-of-migration': asked } },
  );

describe('a guest may be at the target of its migration', () => {
  it.each<[when: string, ReturnType<typeof migrating>, boolean]>([
    ['when the source has begun to move it', migrating(), true],
    ['not before that', migrating({ ...open, startTimestamp: undefined }), false],
    ['not without a migration', vmiWith({ phase: 'Unknown', nodeName: 'a' }), false],
    ['not when the migration has failed', migrating({ ...open, failed: true, completed: true }), false],
    ['not when an end was written', migrating({ ...open, endTimestamp: 't' }), false],
    ['and is there for certain when the VMI says so', migrating({ ...open, completed: true }, 'b'), false],
  ])('%s', (_, vmi, expected) => {
    expect(mayBeAtTarget(vmi)).toBe(expected);
  });
});

describe('a guest that moves to a node', () => {
  const given = { ...open, failureReason: 'node b is off' };
  it.each<[when: string, ReturnType<typeof migrating>, toB: boolean, givenUp: boolean]>([
    ['waits for a word of it', migrating(), true, false],
    ['does not wait for one that was given up', migrating(given), false, true],
    ['has arrived before that', migrating({ ...given, completed: true }, 'b'), false, false],
    ['does not any more when its migration has failed', migrating({ ...given, failed: true }), false, false],
    ['does not yet when its source has not begun', migrating({ ...open, startTimestamp: undefined }), false, false],
  ])('%s', (_, vmi, toB, givenUp) => {
    expect([isMovingTo('b', vmi), isTargetGivenUp(vmi), isMovingTo('a', vmi)]).toEqual([toB, givenUp, false]);
  });
});

const pod = (metadata = {}): Persisted<Pod> =>
  frozen<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'to', namespace: 'shop', uid: 'p', ...metadata },
    spec: { nodeName: 'b', containers: [{ name: 'compute', image: 'i' }] },
  });

describe('a guest whose node was given up while it was moving', () => {
  const [there, going, gone] = [pod(), pod(deleting), undefined];
  it.each<[when: string, ObservedTarget['node'], Persisted<Pod> | undefined, asked: string | undefined, string]>([
    ['is given up when the target is', 'givenUp', there, undefined, 'giveUp'],
    ['is given up when the target is, whatever it was asked', 'givenUp', going, 'u', 'giveUp'],
    ['waits for a target that is silent', 'silent', there, undefined, 'wait'],
    ['waits for it also if its pod is gone', 'silent', gone, undefined, 'wait'],
    ['waits for a target that has fallen silent before it answered', 'silent', going, 'u', 'withdraw'],
    ['and of which somebody has removed the pod', 'silent', gone, 'u', 'withdraw'],
    ['is asked for at a target that reports', 'reports', there, undefined, 'ask'],
    ['is asked for if the pod goes by somebody else’s wish', 'reports', going, undefined, 'ask'],
    ['is asked for once more if the pod was not deleted', 'reports', there, 'u', 'ask'],
    ['is asked for whatever an earlier migration has asked', 'reports', there, 'before', 'ask'],
    ['waits for the answer', 'reports', going, 'u', 'wait'],
    ['is not there when its target has let the pod go', 'reports', gone, 'u', 'giveUp'],
    ['may be there without a pod that was removed before', 'reports', gone, undefined, 'wait'],
    ['may be there without a pod that an earlier migration asked for', 'reports', gone, 'before', 'wait'],
  ])('%s', (_, node, launcher, asked, action) => {
    expect(decideMoving(migrating(open, 'a', asked), { node, pod: launcher }).action).toBe(action);
  });

  it('is said to be at one of two nodes, and what can be done', () => {
    expect(movingText('a', migrating())).toMatch(/from node a to node b.*known when node b reports.*node fence b$/);
  });
});
