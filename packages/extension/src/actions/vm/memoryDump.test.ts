import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { describe, expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { vmiWith, vmWith } from '../../testing/vms.ts';
import { claimProblem, memoryDump, removeMemoryDump } from './memoryDump.ts';

const refusal = (message: string): string =>
  `409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": ${message}`;
const dumped = (phase: string, claimName = 'dumps'): Vm =>
  vmWith({ status: { memoryDumpRequest: { claimName, phase } } });
const live = vmiWith({ spec: { domain: { devices: {}, memory: { guest: '128Mi' } } } });

describe('a memory dump is refused', () => {
  it.each([
    ['without a claim', vmWith(), live, {}, '400 claimName: name the claim to write the memory to'],
    ['of a VM that does not run', vmWith(), undefined, { claimName: 'dumps' }, refusal('VMI is not running')],
    [
      'while the guest moves to another node',
      vmWith(),
      vmiWith({ status: { phase: 'Running', migrationState: { migrationUid: 'm' } } }),
      { claimName: 'dumps' },
      refusal('Cannot handle volume requests while VMI migration is in progress'),
    ],
    [
      'while another claim is associated',
      dumped('Completed', 'old'),
      live,
      { claimName: 'new' },
      refusal("can't request memory dump for pvc [new] while pvc [old] is still associated as the memory dump pvc"),
    ],
    [
      'while one is made',
      dumped('InProgress'),
      live,
      {},
      refusal('a memory dump to pvc [dumps] is in progress: its phase is InProgress'),
    ],
  ])('%s', (_, vm, vmi, body, expected) => {
    expect(outcome(memoryDump, { vm, vmi }, { body })).toBe(expected);
  });

  it.each([
    ['block', { volumeMode: 'Block' as const }, 'pvc should be filesystem pvc'],
    ['read-only', { accessModes: ['ReadOnlyMany'] }, "pvc access mode can't be read only"],
    ['too small', { resources: { requests: { storage: '128Mi' } } }, /^pvc size \[128Mi\] should be bigger then \[/],
    ['large enough', {}, undefined],
  ])('a claim that is %s', (_, spec, expected) => {
    const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '242Mi' } }, ...spec } };
    const why = claimProblem(claim, live, 0.055);
    if (expected instanceof RegExp) expect(why).toMatch(expected);
    else expect(why).toBe(expected);
  });
});

it('the claim of the last time is used again', () => {
  expect(outcome(memoryDump, { vm: dumped('Completed'), vmi: live })).toMatchObject({ type: 'lookup' });
  expect(outcome(memoryDump, { vm: dumped('Failed'), vmi: live })).toMatchObject({ type: 'lookup' });
});

it.each([
  ['done', dumped('Completed'), expect.objectContaining({ type: 'write' })],
  ['failed', dumped('Failed'), expect.objectContaining({ type: 'write' })],
  ['none', vmWith(), refusal('no claim is associated for memory dumps')],
  ['going', dumped('Dissociating'), refusal('pvc [dumps] is already being dissociated')],
  ['being made', dumped('InProgress'), refusal('a memory dump to pvc [dumps] is in progress: its phase is InProgress')],
])('the claim of a dump is let go: %s', (_, vm, expected) => {
  expect(outcome(removeMemoryDump, { vm })).toEqual(expected);
});
