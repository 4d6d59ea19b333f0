import { expandedVm } from '../../instancetypes/expand.ts';
import { vmAction } from '../action.ts';
import { vmConflict } from '../refusals.ts';

export const expandSpec = vmAction<unknown>({
  name: 'expand-spec',
  method: 'GET',
  granted: 'view',
  summary: 'The machine with its instance type and preference written out.',
  decide: ({ vm }) => ({
    type: 'look',
    answer: (world) => expandedVm(vm, world, (why) => vmConflict(vm, why)),
  }),
});
