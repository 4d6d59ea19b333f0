import type { Schema } from '@vireo/api';
import { EvacuateCancelOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { withOptional } from '../../schemaTypes.ts';
import { type Plan, vmAction, vmiAction } from '../action.ts';
import { vmConflict, vmiConflict } from '../refusals.ts';

const SHARED = {
  name: 'evacuate/cancel',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Cancels the evacuation of a VMI; with `evacuationNodeName`, only if it is being evacuated from that node.',
  response: { status: 200 },
} as const;

/** Whoever does not know which node it was means any. */
const Options: Schema<Partial<EvacuateCancelOptions>> = withOptional(EvacuateCancelOptions, 'evacuationNodeName');

function cancelPlan(vmi: Vmi, wanted: string | undefined): Plan {
  const leaving = vmi.status?.evacuationNodeName;
  if (!leaving) throw vmiConflict(vmi, 'VMI is not marked for evacuation');
  if (wanted && wanted !== leaving)
    throw vmiConflict(vmi, `VMI is marked for evacuation from node "${leaving}", not from "${wanted}"`);
  return { type: 'write', writes: [{ to: 'vmi', patch: { status: { evacuationNodeName: null } } }] };
}

export const cancelEvacuation = vmiAction<Partial<EvacuateCancelOptions>>({
  ...SHARED,
  body: Options,
  decide: ({ vmi }, { body }) => cancelPlan(vmi, body.evacuationNodeName),
});

export const cancelEvacuationOfVm = vmAction<Partial<EvacuateCancelOptions>>({
  ...SHARED,
  body: Options,
  decide({ vm, vmi }, { body }) {
    if (!vmi) throw vmConflict(vm, 'VM is not running');
    return cancelPlan(vmi, body.evacuationNodeName);
  },
});
