import { harvesterAction } from '../action.ts';
import { claimConflict, isExpanding } from './states.ts';

export const cancelExpand = harvesterAction('persistentvolumeclaims')({
  name: 'cancelExpand',
  method: 'PUT',
  minimumRole: 'edit',
  summary: "Sets the claim's request back to its current capacity.",
  needs: [{ apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['patch'] }],
  isListed: ({ object }) => isExpanding(object),
  decide({ object }) {
    if (!isExpanding(object)) throw claimConflict(object, 'it is not being expanded, so there is nothing to cancel');
    const storage = object.status?.capacity?.storage;
    return { type: 'write', writes: [{ to: 'object', patch: { spec: { resources: { requests: { storage } } } } }] };
  },
});
