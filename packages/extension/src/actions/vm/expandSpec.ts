import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { expandForUser } from '../../instancetypes/expand.ts';
import { vmAction } from '../action.ts';
import { vmConflict } from '../refusals.ts';
import { objectOf } from '../responses.ts';

export const expandSpec = vmAction<unknown>({
  name: 'expand-spec',
  method: 'GET',
  minimumRole: 'view',
  summary: 'Returns the VM with its instance type and preference expanded.',
  response: { status: 200, schema: objectOf(VirtualMachine) },
  decide: ({ vm }) => ({
    type: 'respond',
    respond: (context) => expandForUser(vm, context, (why) => vmConflict(vm, why)),
  }),
});
