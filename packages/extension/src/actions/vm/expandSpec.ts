import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { expandForUser } from '../../instancetypes/expand.ts';
import { vmAction } from '../action.ts';
import { objectOf } from '../answers.ts';
import { vmConflict } from '../refusals.ts';

export const expandSpec = vmAction<unknown>({
  name: 'expand-spec',
  method: 'GET',
  minimumRole: 'view',
  summary: 'The machine with its instance type and preference written out.',
  answer: { status: 200, schema: objectOf(VirtualMachine) },
  decide: ({ vm }) => ({
    type: 'answer',
    answer: (context) => expandForUser(vm, context, (why) => vmConflict(vm, why)),
  }),
});
