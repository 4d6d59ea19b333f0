import { vmAction } from '../action.ts';
import { notImplemented } from '../refusals.ts';

export const expandSpec = vmAction<unknown>({
  name: 'expand-spec',
  method: 'GET',
  granted: 'view',
  summary: 'The machine with its instance type and preference written out.',
  decide({ vm }) {
    if (vm.spec.instancetype || vm.spec.preference)
      throw notImplemented(
        'virtualmachines',
        vm.metadata.name ?? '',
        'expand-spec with an instance type or preference',
      );
    return { type: 'answer', object: vm };
  },
});
