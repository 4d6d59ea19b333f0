import { describe, expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { vmiWith, vmWith } from '../../testing/vms.ts';
import { cancelEvacuation, cancelEvacuationOfVm } from './evacuation.ts';

const leaving = vmiWith({ status: { evacuationNodeName: 'n1' } });
const conflict = (why: string) =>
  `409 Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "web": ${why}`;

describe('an evacuation is called off', () => {
  it.each([[{}], [{ evacuationNodeName: 'n1' }], [{ evacuationNodeName: '' }]])('with %j', (body) => {
    expect(outcome(cancelEvacuation, { vmi: leaving }, { body })).toMatchObject({ type: 'write' });
    expect(outcome(cancelEvacuationOfVm, { vm: vmWith(), vmi: leaving }, { body })).toMatchObject({ type: 'write' });
  });

  it('only where there is one, and of the node that is named', () => {
    expect(outcome(cancelEvacuation, { vmi: vmiWith() })).toBe(conflict('VMI is not marked for evacuation'));
    expect(outcome(cancelEvacuation, { vmi: leaving }, { body: { evacuationNodeName: 'n2' } })).toBe(
      conflict('VMI is marked for evacuation from node "n1", not from "n2"'),
    );
    expect(outcome(cancelEvacuationOfVm, { vm: vmWith() })).toContain('VM is not running');
  });
});
