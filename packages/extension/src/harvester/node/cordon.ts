import type { Node } from '@vireo/api';
import { isInMaintenance } from '@vireo/api/kinds/harvester/maintenance.ts';
import { DRAIN_TAINT } from '@vireo/api/kinds/harvester/names.ts';
import type { Plan } from '../../actions/action.ts';
import { harvesterAction } from '../action.ts';
import { nodeConflict, PATCH_NODES } from './states.ts';

export const cordon = harvesterAction('nodes')({
  name: 'cordon',
  method: 'PUT',
  minimumRole: 'nodes',
  summary: 'Marks the node as unschedulable. Running VMs keep running.',
  needs: PATCH_NODES,
  isListed: ({ object }) => !object.spec?.unschedulable,
  decide({ object }) {
    if (object.spec?.unschedulable) throw nodeConflict(object, `Node ${object.metadata.name} already cordoned`);
    return schedulable(false);
  },
});

export const uncordon = harvesterAction('nodes')({
  name: 'uncordon',
  method: 'PUT',
  minimumRole: 'nodes',
  summary: 'Marks the node as schedulable again.',
  needs: PATCH_NODES,
  isListed: ({ object }) => object.spec?.unschedulable === true && !isInMaintenance(object),
  decide({ object }) {
    if (!object.spec?.unschedulable) throw nodeConflict(object, `Node ${object.metadata.name} already uncordoned`);
    if (isInMaintenance(object))
      throw nodeConflict(object, 'it is in maintenance, or about to be: call disableMaintenanceMode');
    return schedulable(true);
  },
});

const schedulable = (isSchedulable: boolean): Plan => ({
  type: 'write',
  writes: [{ to: 'object', patch: { spec: { unschedulable: isSchedulable ? null : true } } }],
});

/** The taints of a node whose VMs need not leave any more. */
export const withoutDrain = ({ spec }: Node) => (spec?.taints ?? []).filter(({ key }) => key !== DRAIN_TAINT);
