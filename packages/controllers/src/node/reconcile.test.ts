import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Client } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { expect, it } from 'vitest';
import type { NodeActions } from './act.ts';
import { MISSING_MS, reconcileMissing } from './reconcile.ts';
import { LOOK_MS } from './silence.ts';

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
  const on = { vmis: ['bad', 'good', 'better'].map(vmi), pods: [], vmiOf: () => undefined };
  const means = { client, act: { markUnknown } as unknown as NodeActions, log, now: new Date(MISSING_MS) };
  expect(await reconcileMissing({ name: 'n', sinceMs: 0, ...on }, means)).toEqual({ requeueAfterMs: LOOK_MS });
  expect(marked).toEqual(['good', 'better']);
  expect(JSON.stringify(log)).toContain('cannot write an object of a node that is unreachable');
});
