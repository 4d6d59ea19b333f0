import { isOwnedBy } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { gracePeriodSecondsOf, isLive, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, ignoreNotFoundOrConflict } from '@vireo/kube';
import { isComponent } from '../identity.ts';
import { type Admission, ALLOWED, type ValidatingRule } from './rule.ts';

/** Whoever deletes a VM gets a warning if the wait is longer than this. */
const LONG_WAIT_SECONDS = 60;

/**
 * Hands the grace period of `kubectl delete` on to the guest. A custom resource does not keep what its DELETE asked for,
 * so it is written where the node looks: into the VMI, as `virtctl stop --grace-period` does. It is only ever shortened.
 */
export const propagateDeletionGrace: ValidatingRule<Vm | Vmi> = {
  type: 'validating',
  webhook: 'deletion-grace.kubevirt.io',
  path: '/deletion-grace',
  kinds: [VirtualMachine, VirtualMachineInstance],
  operations: ['DELETE'],
  failurePolicy: 'Ignore',
  sideEffects: 'NoneOnDryRun',
  async validate(admission, { client }) {
    const { object, user, deletion, isDryRun } = admission;
    // Our own controllers delete what somebody else has decided on.
    if (isComponent(user)) return ALLOWED;
    const vmi = await stoppedVmi(admission, client);
    if (!vmi) return ALLOWED;
    const current = gracePeriodSecondsOf(vmi);
    const wanted = deletion?.gracePeriodSeconds;
    if (wanted === undefined || wanted < 0 || wanted >= current)
      return current > LONG_WAIT_SECONDS ? { errors: [], warnings: [waitWarning(object, current)] } : ALLOWED;
    if (!isDryRun) await shortenGracePeriod(vmi, wanted, client);
    return ALLOWED;
  },
};

const waitWarning = ({ kind, metadata }: Vm | Vmi, seconds: number): string => {
  const word = kind === VirtualMachineInstance.kind ? 'vmi' : 'vm';
  return `the guest has up to ${seconds} s to shut down; to power it off now: kubectl delete ${word} ${metadata.name} -n ${metadata.namespace} --grace-period=0 --force`;
};

/** The VMI whose guest is stopped by the deletion; nothing where none runs. */
async function stoppedVmi({ object, deletion }: Admission<Vm | Vmi>, client: Client): Promise<Vmi | undefined> {
  const vmi = isVmi(object) ? object : deletion?.isOrphaning ? undefined : await vmiOf(object, client);
  return isLive(vmi) ? vmi : undefined;
}

const isVmi = (object: Vm | Vmi): object is Vmi => object.kind === VirtualMachineInstance.kind;

async function vmiOf(vm: Vm, client: Client): Promise<Vmi | undefined> {
  if (!vm.status?.created) return undefined;
  const { name, namespace } = vm.metadata;
  const vmi = await client.of(VirtualMachineInstance).find(name, { namespace });
  return vmi && isOwnedBy(vmi, vm) ? vmi : undefined;
}

async function shortenGracePeriod(vmi: Vmi, graceSeconds: number, client: Client): Promise<void> {
  const patch = { spec: { terminationGracePeriodSeconds: graceSeconds } };
  // Gone already, or another one has its name.
  await client.of(VirtualMachineInstance).patchExactly(vmi, patch).catch(ignoreNotFoundOrConflict);
}
