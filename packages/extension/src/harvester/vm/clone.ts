import { alreadyExists, type FieldError, field, type Infer } from '@vireo/api';
import { VirtualMachineClone } from '@vireo/api/kinds/clone/virtualMachineClone.ts';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { RUN_STRATEGIES } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { runStrategyOf, type Vm, vmReference } from '@vireo/api/kinds/kubevirt/vm.ts';
import { dnsSubdomain } from '@vireo/api/names.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Client, Draft } from '@vireo/kube';
import { harvesterAction } from '../action.ts';
import { invalidInput } from '../input.ts';

const CloneInput = struct('io.harvesterhci.v1beta1.CloneInput', 'Options for cloning a VM.', {
  targetVm: required(string, 'Name of the copy, in the same namespace.'),
  runStrategy: optional(string, "Run strategy of the copy. Defaults to the VM's."),
});
interface CloneInput extends Infer<typeof CloneInput> {}

export const clone = harvesterAction('virtualmachines')<CloneInput>({
  name: 'clone',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Copies the VM and its disks. The copy gets its own addresses and identity.',
  body: CloneInput,
  needs: [
    { apiGroups: [VirtualMachineClone.group], resources: [VirtualMachineClone.plural], verbs: ['create'] },
    { apiGroups: [VirtualMachine.group], resources: [VirtualMachine.plural], verbs: ['get'] },
  ],
  isListed: () => true,
  decide({ vm }, { body }) {
    const errors = inputErrors(body);
    if (errors.length > 0) throw invalidInput(CloneInput, errors);
    return {
      type: 'lookup',
      async decide({ client }) {
        await expectFree(client, vm, body.targetVm);
        return { type: 'create', kind: VirtualMachineClone, object: cloneOf(vm, body) };
      },
    };
  },
});

/** What would be refused only when the copy is made, after the response. */
const inputErrors = ({ targetVm, runStrategy }: CloneInput): FieldError[] => [
  ...dnsSubdomain(targetVm).map((why) => field.invalid('targetVm', targetVm, why)),
  ...(runStrategy && !RUN_STRATEGIES.includes(runStrategy)
    ? [field.notSupported('runStrategy', runStrategy, RUN_STRATEGIES)]
    : []),
];

async function expectFree(client: Client, { metadata }: Vm, name: string): Promise<void> {
  if (await client.of(VirtualMachine).find(name, { namespace: metadata.namespace }))
    throw alreadyExists({ group: VirtualMachine.group, resource: VirtualMachine.plural }, name);
}

/** As Harvester does it, the copy runs as the VM does, and is called by its own name within. */
export function cloneOf(vm: Vm, { targetVm, runStrategy }: CloneInput): Draft<VirtualMachineClone> {
  const operations = [
    ...(vm.spec.running === undefined ? [] : [{ op: 'remove', path: '/spec/running' }]),
    { op: 'add', path: '/spec/runStrategy', value: runStrategy || runStrategyOf(vm) },
    { op: 'add', path: '/spec/template/spec/hostname', value: hostnameOf(targetVm) },
  ];
  return {
    metadata: { generateName: `clone-${targetVm}-`, namespace: vm.metadata.namespace },
    spec: {
      source: vmReference(vm.metadata.name),
      target: vmReference(targetVm),
      patches: operations.map((operation) => JSON.stringify(operation)),
    },
  };
}

/** Names of VMs may have dots and be longer than those of hosts: as KubeVirt, what stands before the first dot. */
const hostnameOf = (name: string): string => (name.split('.')[0] ?? '').slice(0, 63).replace(/-+$/, '');
