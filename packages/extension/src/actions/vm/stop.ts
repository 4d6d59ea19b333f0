import { badRequest } from '@vireo/api';
import { StopOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import { runStrategyOf } from '@vireo/api/kinds/kubevirt/vm.ts';
import { gracePeriodSecondsOf, isLive } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Targets, vmAction, type Write } from '../action.ts';
import { vmConflict } from '../refusals.ts';
import { forgetRequests, requestStateChange, setGracePeriod, setRunning } from './requests.ts';

export const stop = vmAction<StopOptions>({
  name: 'stop',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Stops the VM. `gracePeriod` is how many seconds the guest has to shut down.',
  body: StopOptions,
  decide: (target, { body }) => ({ type: 'write', writes: stopWrites(target, body) }),
});

/** What stops a VM that can be stopped. */
export function stopWrites(target: Targets['virtualmachines'], { gracePeriod }: StopOptions = {}): Write[] {
  const graceSeconds = gracePeriod ?? undefined;
  if (graceSeconds !== undefined && graceSeconds < 0) throw badRequest('gracePeriod has to be greater or equal to 0');
  const writes = requestStop(target, graceSeconds);
  const { vmi } = target;
  if (graceSeconds === undefined || !isLive(vmi)) return writes;
  return [setGracePeriod(graceSeconds, vmi.spec.terminationGracePeriodSeconds), ...writes];
}

function requestStop({ vm, vmi }: Targets['virtualmachines'], graceSeconds: number | undefined): Write[] {
  const strategy = runStrategyOf(vm);
  switch (strategy) {
    case 'Halted': {
      // It is on its way down already; all that can be asked for is to be quicker.
      if (!isLive(vmi)) throw vmConflict(vm, 'VM is not running');
      if (graceSeconds === undefined || graceSeconds >= gracePeriodSecondsOf(vmi))
        throw vmConflict(vm, 'Halted only supports manual stop requests with a shorter graceperiod');
      return [requestStateChange(vm, [{ action: 'Stop', uid: vmi.metadata.uid }])];
    }
    case 'Manual':
    case 'RerunOnFailure':
      if (!isLive(vmi)) throw vmConflict(vm, 'VM is not running');
      return [requestStateChange(vm, [{ action: 'Stop', uid: vmi.metadata.uid }])];
    case 'Always':
    case 'Once':
      return [...forgetRequests(vm), setRunning(vm, false)];
    default:
      throw vmConflict(vm, `${strategy} does not support manual stop requests`);
  }
}
