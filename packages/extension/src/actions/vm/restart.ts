import { badRequest, isConditionTrue } from '@vireo/api';
import { RestartOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import { runStrategyOf } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type Targets, vmAction, type Write } from '../action.ts';
import { vmConflict } from '../refusals.ts';
import { requestStateChange, setGracePeriod } from './requests.ts';

/** What a forced restart leaves the guest, as in KubeVirt. */
const FORCED_GRACE_SECONDS = 1;

export const restart = vmAction<RestartOptions>({
  name: 'restart',
  method: 'PUT',
  minimumRole: 'edit',
  starts: true,
  summary: 'Restarts the VM. `gracePeriodSeconds: 0` powers it off immediately.',
  body: RestartOptions,
  decide: (target, { body }) => ({ type: 'write', writes: restartWrites(target, body) }),
});

/** What restarts a VM that can be restarted. */
export function restartWrites({ vm, vmi }: Targets['virtualmachines'], options: RestartOptions = {}): Write[] {
  const graceSeconds = options.gracePeriodSeconds ?? undefined;
  if (graceSeconds !== undefined && graceSeconds > 0)
    throw badRequest('For force restart, only gracePeriod=0 is supported for now');
  if (graceSeconds !== undefined && graceSeconds < 0) throw badRequest('gracePeriod has to be greater or equal to 0');
  if (isConditionTrue(vm, 'VolumesChange')) throw vmConflict(vm, 'a volume change is in progress');
  const strategy = runStrategyOf(vm);
  if (strategy === 'Halted' || strategy === 'Once')
    throw vmConflict(vm, `RunStategy ${strategy} does not support manual restart requests`);
  if (!vmi) throw vmConflict(vm, 'VM is not running: Halted');
  const request = requestStateChange(vm, [{ action: 'Stop', uid: vmi.metadata.uid }, { action: 'Start' }]);
  if (graceSeconds === undefined) return [request];
  return [setGracePeriod(FORCED_GRACE_SECONDS, vmi.spec.terminationGracePeriodSeconds), request];
}
