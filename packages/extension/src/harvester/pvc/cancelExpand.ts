import { harvesterAction } from '../action.ts';
import { claimConflict, isExpanding } from './states.ts';

export const cancelExpand = harvesterAction('persistentvolumeclaims')({
  name: 'cancelExpand',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Lets a claim whose volume does not grow ask for what it has.',
  needs: [{ apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['patch'] }],
  offered: ({ object }) => isExpanding(object),
  decide({ object }) {
    if (!isExpanding(object))
      throw claimConflict(object, 'it does not ask for more than it has: there is nothing to cancel');
    const storage = object.status?.capacity?.storage;
    return { type: 'write', writes: [{ to: 'object', patch: { spec: { resources: { requests: { storage } } } } }] };
  },
});
