import { conditionOf } from '@vireo/api';
import { StartOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import { runStrategyOf } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, isLive } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Targets, vmAction, type Write } from '../action.ts';
import { vmConflict } from '../refusals.ts';
import { requestStateChange, setRunning } from './requests.ts';

export const start = vmAction<StartOptions>({
  name: 'start',
  method: 'PUT',
  minimumRole: 'edit',
  starts: true,
  summary: 'Starts the VM. With `paused`, the guest starts paused.',
  body: StartOptions,
  decide: (target, { body }) => ({ type: 'write', writes: [startWrite(target, body)] }),
});

/** What starts a VM that can be started. */
export function startWrite({ vm, vmi }: Targets['virtualmachines'], { paused }: StartOptions = {}): Write {
  const phase = vmi?.status?.phase ?? '';
  if (isLive(vmi) && phase !== '' && phase !== 'Unknown') throw vmConflict(vm, 'VM is already running');
  const recovery = conditionOf(vm, 'ManualRecoveryRequired');
  if (recovery?.status === 'True')
    throw vmConflict(vm, `VM needs manual recovery first: ${recovery.message ?? 'no reason given'}`);
  const strategy = runStrategyOf(vm);
  const request = { action: 'Start', ...(paused && { data: { paused: 'true' } }) };
  switch (strategy) {
    case 'Halted':
      // The controller switches the VM on: only a request can say that the guest is to be held.
      return paused ? requestStateChange(vm, [request]) : setRunning(vm, true);
    case 'Manual':
    case 'RerunOnFailure':
      if (strategy === 'RerunOnFailure' && vmi?.status?.phase === 'Failed')
        throw vmConflict(vm, 'RerunOnFailure does not support starting VM from failed state');
      if (!vmi || !isFinal(vmi)) return requestStateChange(vm, [request]);
      return requestStateChange(vm, [{ action: 'Stop', uid: vmi.metadata.uid }, request]);
    default:
      throw vmConflict(vm, `${strategy} does not support manual start requests`);
  }
}
