import { Node, type Persisted } from '@vireo/api';
import { HEARTBEAT_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Client } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { expect, it } from 'vitest';
import type { NodeActions } from './act.ts';
import { MISSING_MS, reconcileMissing, reconcileNode } from './reconcile.ts';
import { LOOK_MS, type Silences } from './silence.ts';

const vmi = (name: string): Vmi =>
  ({ metadata: { name, namespace: 'shop', uid: name }, spec: {}, status: { phase: 'Running' } }) as Vmi;

it('a VMI that cannot be written keeps nobody from the others, is reported, and is tried again soon', async () => {
  const marked: string[] = [];
  const markUnknown = async ({ metadata: { name = '' } }: Vmi): Promise<void> => {
    if (name === 'bad') throw new Error('refused');
    marked.push(name);
  };
  const log = memoryLog();
  const client = { of: () => ({ find: async () => undefined }) } as unknown as Client;
  const on = { vmis: ['bad', 'good', 'better'].map(vmi), arriving: [], pods: [], vmiOf: () => undefined };
  const means = { client, act: { markUnknown } as unknown as NodeActions, log, now: new Date(MISSING_MS) };
  expect(await reconcileMissing({ name: 'n', sinceMs: 0, ...on }, means)).toEqual({ requeueAfterMs: LOOK_MS });
  expect(marked).toEqual(['good', 'better']);
  expect(JSON.stringify(log)).toContain('cannot write an object of a node that is unreachable');
});

it.each<[moving: string, migrationState: object, written: string]>([
  ['may have arrived', {}, 'markMoving'],
  ['did not arrive, for its target was given up before', { failureReason: 'node b was off' }, 'failVmi'],
])('when a node is given up, a guest that was moving away and %s', async (_, more, written) => {
  const migrationState = { migrationUid: 'm', sourceNode: 'a', targetNode: 'b', startTimestamp: 't', ...more };
  const moving = { ...vmi('web'), status: { phase: 'Running', nodeName: 'a', migrationState } } as Vmi;
  const node = {
    metadata: { name: 'a', annotations: { [HEARTBEAT_ANNOTATION]: 't' }, labels: {} },
    spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
  } as unknown as Persisted<Node>;
  const done: string[] = [];
  const act = new Proxy({}, { get: (_target, name) => async () => void done.push(String(name)) }) as NodeActions;
  // The Node of the target is not there.
  const find = async (name: string) => (name === 'a' ? node : undefined);
  const client = {
    of: (kind: object) => ({ find: kind === Node ? find : async () => undefined }),
  } as unknown as Client;
  const silence = { look: () => Number.MAX_SAFE_INTEGER, forget: () => {} };
  const silences = { cached: silence, confirmed: silence } as unknown as Silences;
  const on = { node, lease: undefined, vmis: [moving], arriving: [], pods: [], vmiOf: () => undefined };
  await reconcileNode(on, silences, { client, act, log: memoryLog(), now: new Date(0) });
  expect(done).toContain(written);
});
