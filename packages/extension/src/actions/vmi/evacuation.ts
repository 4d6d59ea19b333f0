import type { Schema } from '@vireo/api';
import { EvacuateCancelOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { emptyResponse } from '@vireo/kube';
import { type Plan, type Targets, vmAction, vmiAction, type Write } from '../action.ts';
import { vmConflict, vmiConflict } from '../refusals.ts';
import { decideAndWrite } from '../writes.ts';

const SHARED = {
  name: 'evacuate/cancel',
  method: 'PUT',
  granted: 'edit',
  summary: 'Lets an instance stay that was to leave its node; with `evacuationNodeName`, only if it is that one.',
  answer: { status: 200 },
} as const;

const { evacuationNodeName } = EvacuateCancelOptions.properties ?? {};
/** Whoever does not know which node it was means any. */
const Options: Schema<Partial<EvacuateCancelOptions>> = {
  ...EvacuateCancelOptions,
  properties: {
    ...EvacuateCancelOptions.properties,
    ...(evacuationNodeName && { evacuationNodeName: { ...evacuationNodeName, required: false } }),
  },
};

/** Decided before anything is done, and anew when the instance changes meanwhile. */
function stay<R extends 'virtualmachines' | 'virtualmachineinstances'>(
  resource: R,
  target: Targets[R],
  wanted: string | undefined,
): Plan {
  const writes = ({ vm, vmi }: Targets[R]): Write[] => {
    if (!vmi) throw vmConflict(vm as VirtualMachine, 'VM is not running');
    refuseOther(vmi, wanted);
    return [{ to: 'vmi', patch: { status: { evacuationNodeName: null } } }];
  };
  writes(target);
  return {
    type: 'do',
    run: async (context) => {
      await decideAndWrite(resource, target, writes, context);
      return emptyResponse(200);
    },
  };
}

function refuseOther(vmi: VirtualMachineInstance, wanted: string | undefined): void {
  const leaving = vmi.status?.evacuationNodeName;
  if (!leaving) throw vmiConflict(vmi, 'VMI is not marked for evacuation');
  if (wanted && wanted !== leaving)
    throw vmiConflict(vmi, `VMI is marked for evacuation from node "${leaving}", not from "${wanted}"`);
}

export const cancelEvacuation = vmiAction<Partial<EvacuateCancelOptions>>({
  ...SHARED,
  body: Options,
  decide: (target, { body }) => stay('virtualmachineinstances', target, body.evacuationNodeName),
});

export const cancelEvacuationOfVm = vmAction<Partial<EvacuateCancelOptions>>({
  ...SHARED,
  body: Options,
  decide: (target, { body }) => stay('virtualmachines', target, body.evacuationNodeName),
});
