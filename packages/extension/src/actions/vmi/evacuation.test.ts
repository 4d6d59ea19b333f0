import { expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { vmiWith, vmWith } from '../../testing/vms.ts';
import { cancelEvacuation, cancelEvacuationOfVm } from './evacuation.ts';

const leaving = vmiWith({ status: { evacuationNodeName: 'n1' } });
const conflict = (why: string) =>
  `409 Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "web": ${why}`;

it.each([[{}], [{ evacuationNodeName: 'n1' }], [{ evacuationNodeName: '' }]])(
  'an evacuation is called off with %j, unless the node has a taint',
  (body) => {
    expect(outcome(cancelEvacuation, { vmi: leaving }, { body })).toMatchObject({ type: 'lookup' });
    expect(outcome(cancelEvacuationOfVm, { vm: vmWith(), vmi: leaving }, { body })).toMatchObject({ type: 'lookup' });
  },
);

it('an evacuation from another node than the one that is named goes on', () => {
  expect(outcome(cancelEvacuation, { vmi: leaving }, { body: { evacuationNodeName: 'n2' } })).toBe(
    conflict('VMI is marked for evacuation from node "n1", not from "n2"'),
  );
  expect(outcome(cancelEvacuationOfVm, { vm: vmWith() })).toContain('VM is not running');
});
