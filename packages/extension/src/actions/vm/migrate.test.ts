import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { expect, it } from 'vitest';
import { outcome } from '../../testing/outcome.ts';
import { vmiWith, vmWith } from '../../testing/vms.ts';
import { migrate } from './migrate.ts';

const action = migrate as never;
const vm = vmWith();

it.each([
  ['to any node', {}, {}],
  ['to a node with labels', { addedNodeSelector: { zone: 'b' } }, { addedNodeSelector: { zone: 'b' } }],
])('a running VM migrates %s', (_, body, spec) => {
  expect(outcome(action, { vm, vmi: vmiWith() } as never, { body })).toEqual({
    type: 'create',
    kind: VirtualMachineInstanceMigration,
    object: {
      metadata: { generateName: 'kubevirt-migrate-vm-', namespace: vm.metadata.namespace },
      spec: { vmiName: 'web', ...spec },
    },
  });
});

it('a VM that does not run does not migrate', () => {
  expect(outcome(action, { vm, vmi: vmiWith({ phase: 'Scheduling' }) } as never)).toBe(
    '409 Operation cannot be fulfilled on virtualmachine.kubevirt.io "web": VM is not running',
  );
  expect(outcome(action, { vm } as never)).toBe('404 virtualmachineinstance.kubevirt.io "web" not found');
});
