import type { Persisted } from '@vireo/api';
import { INSUFFICIENT_QUOTA, QUOTA_DISMISSED } from '@vireo/api/kinds/harvester/names.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { expect, it } from 'vitest';
import { vmWith } from '../testing/objects.ts';
import { quotaNotice } from './decide.ts';

const PROBLEM = 'exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2';
const FAILED = {
  type: 'Synchronized',
  status: 'False',
  reason: 'FailedCreate',
  message: `pods "x" is forbidden: ${PROBLEM}`,
};

const vmi = (status: object, uid = 'u1') =>
  ({ metadata: { name: 'web', uid }, status }) as unknown as Persisted<VirtualMachineInstance>;

it.each<[string, Record<string, string>, ReturnType<typeof vmi> | undefined, object | undefined]>([
  ['is told when its launcher cannot be made', {}, vmi({ conditions: [FAILED] }), { [INSUFFICIENT_QUOTA]: PROBLEM }],
  ['is told once', { [INSUFFICIENT_QUOTA]: PROBLEM }, vmi({ conditions: [FAILED] }), undefined],
  ['is not told again after a dismissal', { [QUOTA_DISMISSED]: 'u1' }, vmi({ conditions: [FAILED] }), undefined],
  [
    'is told of the next start',
    { [QUOTA_DISMISSED]: 'u0' },
    vmi({ conditions: [FAILED] }),
    { [INSUFFICIENT_QUOTA]: PROBLEM },
  ],
  [
    'loses the notice when it runs',
    { [INSUFFICIENT_QUOTA]: 'x', [QUOTA_DISMISSED]: 'u1' },
    vmi({ phase: 'Running' }),
    { [INSUFFICIENT_QUOTA]: null, [QUOTA_DISMISSED]: null },
  ],
  ['keeps the notice when it is stopped', { [INSUFFICIENT_QUOTA]: 'x' }, undefined, undefined],
  ['has none for another reason', {}, vmi({ conditions: [{ ...FAILED, message: 'no node' }] }), undefined],
])('a VM %s', (_, annotations, instance, expected) => {
  expect(quotaNotice(vmWith({}, {}, { annotations }), instance)).toEqual(expected);
});
