import { field, type Infer, isConditionTrue, isDeleting } from '@vireo/api';
import { optional, within } from '@vireo/api/kinds/customResource.ts';
import { CPU_AND_MEMORY_HOTPLUG } from '@vireo/api/kinds/harvester/names.ts';
import { HOT_CHANGES } from '@vireo/api/kinds/kubevirt/liveUpdate.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { int64, quantity, struct } from '@vireo/api/schema.ts';
import { readQuantity } from '@vireo/hypervisor/domainSpec.ts';
import type { Targets } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';

type Target = Targets['virtualmachines'];

const CPUAndMemoryHotplugInput = struct(
  'io.harvesterhci.v1beta1.CPUAndMemoryHotplugInput',
  'CPUs and memory that the VM is to have.',
  {
    sockets: optional(within(0, 4_294_967_295, int64), 'Number of CPU sockets. If 0 or missing, it stays as it is.'),
    memory: optional(quantity, 'Memory of the guest. If missing, it stays as it is.'),
  },
);
interface CPUAndMemoryHotplugInput extends Infer<typeof CPUAndMemoryHotplugInput> {}

/** Why CPUs and memory of a VM cannot be changed now. Unlike Harvester's, it need not be able to migrate. */
function obstacle({ vm, vmi }: Target): string | undefined {
  if (!vmi || !isRunning(vmi) || isDeleting(vmi)) return 'it is not running; edit spec.template, and start it';
  const { cores = 1, threads = 1 } = vm.spec.template.spec?.domain.cpu ?? {};
  if (cores > 1 || threads > 1) return 'its CPU sockets have more than one core or thread; edit spec.template';
  if (vm.metadata.annotations?.[CPU_AND_MEMORY_HOTPLUG] !== 'true')
    return `its annotation ${CPU_AND_MEMORY_HOTPLUG} is not "true"; set it, or edit spec.template`;
  if (isConditionTrue(vm, 'RestartRequired')) return 'it has to be restarted for an earlier change';
  const changing = HOT_CHANGES.find((type) => isConditionTrue(vmi, type));
  return changing && `an earlier change of its CPUs or memory is not made yet (condition ${changing})`;
}

export const cpuAndMemoryHotplug = harvesterAction('virtualmachines')<CPUAndMemoryHotplugInput>({
  name: 'cpuAndMemoryHotplug',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Changes CPU sockets and memory of the running VM, without a migration where its node has room.',
  body: CPUAndMemoryHotplugInput,
  isListed: (target) => obstacle(target) === undefined,
  decide(target, { body: { sockets, memory } }) {
    const why = obstacle(target);
    if (why) throw vmConflict(target.vm, why);
    const isGiven = memory !== undefined && memory !== '';
    if (isGiven && !readQuantity(memory))
      throw invalidField(field.invalid('memory', memory, 'must be a quantity such as 2Gi'));
    const domain = { ...(sockets && { cpu: { sockets } }), ...(isGiven && { memory: { guest: memory } }) };
    const isEmpty = Object.keys(domain).length === 0;
    return {
      type: 'write',
      writes: isEmpty ? [] : [{ to: 'vm', patch: { spec: { template: { spec: { domain } } } } }],
    };
  },
});
