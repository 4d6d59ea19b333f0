import { badRequest, Node, type Schema } from '@vireo/api';
import { DEFAULT_DRAIN_TAINT_KEY } from '@vireo/api/kinds/kubevirt/eviction.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAME, KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { EvacuateCancelOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { withOptional } from '../../schemaTypes.ts';
import { type Plan, type PlanContext, type SettledPlan, vmAction, vmiAction } from '../action.ts';
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

const NOTHING: SettledPlan = { type: 'write', writes: [] };

function cancelPlan(vmi: Vmi, wanted: string | undefined): Plan {
  const { evacuationNodeName: leaving, nodeName } = vmi.status ?? {};
  if (wanted && leaving && wanted !== leaving)
    throw vmiConflict(vmi, `VMI is marked for evacuation from node "${leaving}", not from "${wanted}"`);
  const patch = { status: { evacuationNodeName: null } };
  const plan = leaving ? ({ type: 'write', writes: [{ to: 'vmi', patch }] } as const) : NOTHING;
  return {
    type: 'lookup',
    decide: async (context) => {
      if (nodeName) await expectNoDrainTaint(nodeName, context);
      return plan;
    },
  };
}

/** As long as the node has the taint, guests leave it whether they are marked or not. */
async function expectNoDrainTaint(name: string, { client }: PlanContext): Promise<void> {
  const [node, kubevirt] = await Promise.all([
    client.of(Node).find(name),
    client.of(KubeVirt).find(KUBEVIRT_NAME, { namespace: KUBEVIRT_NAMESPACE }),
  ]);
  const drainKey = kubevirt?.spec?.configuration?.migrations?.nodeDrainTaintKey ?? DEFAULT_DRAIN_TAINT_KEY;
  if (node?.spec?.taints?.some(({ key, effect }) => key === drainKey && effect === 'NoSchedule'))
    throw badRequest(`Node "${name}" has NodeDrainTaintKey "${drainKey}"`);
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
