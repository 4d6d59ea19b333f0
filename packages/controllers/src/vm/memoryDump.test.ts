import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting, vmiWith, vmWith } from '../testing/objects.ts';
import { dumpVolumes, memoryDumpRequest, withoutDumps } from './memoryDump.ts';

const root = { name: 'root', containerDisk: { image: 'i' } };
const dump = { name: 'dumps', memoryDump: { claimName: 'dumps', hotpluggable: true } };
const domain = { devices: {} };

const vmIn = (phase: string, isHeld: boolean): Vm =>
  vmWith(
    { template: { spec: { domain, volumes: isHeld ? [root, dump] : [root] } } },
    { memoryDumpRequest: { claimName: 'dumps', phase } },
  );
const vmiHaving = (isHeld: boolean, dumpStatus?: NonNullable<VmiStatus['volumeStatus']>[number], metadata = {}): Vmi =>
  vmiWith({ phase: 'Running', volumeStatus: dumpStatus ? [dumpStatus] : [] }, metadata, {
    domain,
    volumes: isHeld ? [root, dump] : [root],
  });
const dumpStatus = (phase: string, message?: string) => ({
  name: 'dumps',
  target: '',
  phase,
  ...(message !== undefined && { message }),
  memoryDumpVolume: { claimName: 'dumps', targetFileName: 'f', startTimestamp: 'then', endTimestamp: 'now' },
});

describe('a memory dump goes from phase to phase', () => {
  it.each<[string, Vm, Vmi | undefined, string | undefined]>([
    ['nobody has the claim yet', vmIn('Associating', false), vmiHaving(false), 'Associating'],
    ['the VMI does not have it yet', vmIn('Associating', true), vmiHaving(false), 'Associating'],
    ['both have it', vmIn('Associating', true), vmiHaving(true), 'InProgress'],
    ['the VM stopped before', vmIn('Associating', true), undefined, 'Failed'],
    ['the node says nothing', vmIn('InProgress', true), vmiHaving(true), 'InProgress'],
    ['the node writes', vmIn('InProgress', true), vmiHaving(true, dumpStatus('MemoryDumpInProgress')), 'InProgress'],
    ['the node is done', vmIn('InProgress', true), vmiHaving(true, dumpStatus('MemoryDumpCompleted')), 'Unmounting'],
    ['the node has failed', vmIn('InProgress', true), vmiHaving(true, dumpStatus('MemoryDumpFailed')), 'Failed'],
    ['the VM stops meanwhile', vmIn('InProgress', true), vmiHaving(true, undefined, deleting), 'Failed'],
    ['the VMI has it still', vmIn('Unmounting', true), vmiHaving(true), 'Unmounting'],
    ['the node has it still', vmIn('Unmounting', true), vmiHaving(false, dumpStatus('x')), 'Unmounting'],
    ['the VMI is rid of it', vmIn('Unmounting', true), vmiHaving(false), 'Completed'],
    ['the VMI is gone', vmIn('Unmounting', true), undefined, 'Completed'],
    ['it is done', vmIn('Completed', true), vmiHaving(false), 'Completed'],
    ['it has failed', vmIn('Failed', true), vmiHaving(false), 'Failed'],
    ['the VM has it still', vmIn('Dissociating', true), undefined, 'Dissociating'],
    ['the VMI has it after all', vmIn('Dissociating', false), vmiHaving(true), 'Dissociating'],
    ['all are rid of it', vmIn('Dissociating', false), vmiHaving(false), undefined],
    ['there is none', vmWith(), vmiHaving(false), undefined],
  ])('%s', (_, vm, vmi, phase) => {
    expect(memoryDumpRequest(vm, vmi)?.phase).toBe(phase);
  });

  it('with the time and file of the dump, or what went wrong', () => {
    const done = memoryDumpRequest(vmIn('InProgress', true), vmiHaving(true, dumpStatus('MemoryDumpCompleted')));
    expect(done).toEqual({
      claimName: 'dumps',
      phase: 'Unmounting',
      startTimestamp: 'then',
      endTimestamp: 'now',
      fileName: 'f',
    });
    const failed = memoryDumpRequest(
      vmIn('InProgress', true),
      vmiHaving(true, dumpStatus('MemoryDumpFailed', 'no room')),
    );
    expect(failed).toMatchObject({ phase: 'Failed', message: 'no room' });
  });
});

it('the claim of a dump becomes a volume, and is none again', () => {
  expect(dumpVolumes([root], 'dumps', true)).toEqual([root, dump]);
  expect(dumpVolumes([root, dump], 'dumps', true)).toBeUndefined();
  expect(dumpVolumes([root, dump], 'dumps', false)).toEqual([root]);
  expect(dumpVolumes(undefined, 'dumps', false)).toBeUndefined();
  expect(withoutDumps([root, dump])).toEqual([root]);
});
