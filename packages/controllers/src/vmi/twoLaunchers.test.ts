import type { ObjectMeta, Pod } from '@vireo/api';
import { MIGRATION_JOB_LABEL } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { frozen, vmiWith } from '../testing/objects.ts';
import { currentLauncher, isLeftBehind } from './launcher.ts';
import { nextPhase } from './phase.ts';
import { vmiStatus } from './status.ts';

const pod = (name: string, nodeName: string, metadata: ObjectMeta = {}, status: Pod['status'] = { phase: 'Running' }) =>
  frozen<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: `${name}-uid`, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { nodeName, containers: [{ name: 'compute', image: 'i' }] },
    status,
  });
const ended = {
  phase: 'Succeeded',
  containerStatuses: [
    {
      name: 'compute',
      ready: false,
      restartCount: 0,
      image: 'i',
      imageID: '',
      state: { terminated: { exitCode: 0, finishedAt: '2026-01-01T00:00:00Z' } },
    },
  ],
};
const source = pod('source', 'a');
const target = pod('target', 'b', {
  creationTimestamp: '2026-01-01T00:01:00Z',
  labels: { [MIGRATION_JOB_LABEL]: 'u' },
});
const onNode = (nodeName: string, state?: VmiStatus['migrationState']) =>
  vmiWith({ phase: 'Running', nodeName, activePods: { 'source-uid': 'a' }, ...(state && { migrationState: state }) });
const handedOff = { migrationUid: 'u', sourceNode: 'a', targetNode: 'b', sourcePod: 'source', targetPod: 'target' };

describe('the launcher of a guest', () => {
  it.each([
    ['is the one on its node before it moves', onNode('a', handedOff), [source, target], 'source'],
    ['is the other one when it has moved', onNode('b', { ...handedOff, completed: true }), [source, target], 'target'],
    ['is not the one that it is to move to', onNode('a', handedOff), [target], undefined],
    ['is not the one that it has left', onNode('b', { ...handedOff, completed: true }), [source], undefined],
    [
      'is the youngest before a node has it',
      vmiWith({ phase: 'Scheduling' }),
      [source, pod('p', 'a', { creationTimestamp: '2026-01-01T00:02:00Z' })],
      'p',
    ],
  ])('%s', (_, vmi, pods, expected) => {
    expect(currentLauncher(vmi, pods)?.metadata.name).toBe(expected);
  });

  it('is left behind only by a migration that has succeeded', () => {
    expect(isLeftBehind(source, onNode('b', { ...handedOff, completed: true }))).toBe(true);
    expect(isLeftBehind(source, onNode('a', handedOff))).toBe(false);
    expect(isLeftBehind(source, onNode('a', { ...handedOff, completed: true, failed: true }))).toBe(false);
    expect(isLeftBehind(target, onNode('b', { ...handedOff, completed: true }))).toBe(false);
  });

  it('that ends while the guest moves tells nothing of the guest', () => {
    const nowMs = Date.parse('2026-01-01T01:00:00Z');
    const over = pod('source', 'a', {}, ended);
    expect(nextPhase(onNode('a', handedOff), over, nowMs)).toBe('Running');
    expect(nextPhase(onNode('a'), over, nowMs)).toBe('Failed');
  });
});

it('a VMI that moves names both launchers, and the one that is left afterwards', () => {
  const now = new Date();
  const both = vmiStatus(onNode('a', handedOff), source, undefined, now, [source, target]);
  expect(both.activePods).toEqual({ 'source-uid': 'a', 'target-uid': 'b' });
  const over = pod('source', 'a', {}, ended);
  const one = vmiStatus(onNode('b', { ...handedOff, completed: true }), target, undefined, now, [over, target]);
  expect(one.activePods).toEqual({ 'target-uid': 'b' });
  // Nothing is forgotten of a guest whose launcher is lost.
  expect(vmiStatus(onNode('a'), undefined, undefined, now, []).activePods).toEqual({ 'source-uid': 'a' });
});
