import { PersistentVolumeClaim } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { runStrategyOf } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isLive, isPaused, isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Client } from '@vireo/kube';
import type { Plan, PlannedAction, Targets, Write } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { setGracePeriod } from '../../actions/vm/requests.ts';
import { restartWrites } from '../../actions/vm/restart.ts';
import { startWrite } from '../../actions/vm/start.ts';
import { stopWrites } from '../../actions/vm/stop.ts';
import * as ofVmi from '../../actions/vmi/lifecycle.ts';
import { harvesterAction } from '../action.ts';
import { pvcVolumes } from './claims.ts';
import { halt, rememberedStrategy } from './runStrategy.ts';

type Target = Targets['virtualmachines'];

const vmAction = harvesterAction('virtualmachines');
const NO_INPUT = { body: {}, parameters: {}, query: new URLSearchParams() };
/** Changes nothing, and that is what was asked for. */
const NOTHING: Plan = { type: 'write', writes: [] };

export const start = vmAction({
  name: 'start',
  method: 'PUT',
  minimumRole: 'edit',
  starts: true,
  summary: 'Starts the VM with the run strategy that it had before it was stopped.',
  needs: [{ apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get'] }],
  isListed: ({ vm, vmi }) => !isStartPending(vm) && (!isLive(vmi) || ['', 'Unknown'].includes(vmi.status?.phase ?? '')),
  decide(target) {
    const started = startWrite(target);
    const before = runStrategyOf(target.vm) === 'Halted' ? rememberedStrategy(target.vm) : undefined;
    const write: Write = before ? { to: 'vm', patch: { spec: { runStrategy: before } } } : started;
    return {
      type: 'lookup',
      async decide({ client }) {
        await requireClaims(client, target.vm);
        return { type: 'write', writes: [write] };
      },
    };
  },
});

/** A VM without one of its disks would wait for it; whoever starts it gets an error at once. */
async function requireClaims(client: Client, vm: Vm): Promise<void> {
  const { namespace } = vm.metadata;
  for (const { name, claimName } of pvcVolumes(vm))
    if (!(await client.of(PersistentVolumeClaim).find(claimName, { namespace })))
      throw vmConflict(vm, `its volume "${name}" needs the claim "${claimName}", which does not exist`);
}

export const stop = vmAction({
  name: 'stop',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Stops the VM and keeps it stopped. Does nothing if the VM is already stopped.',
  isListed: ({ vm, vmi }) => {
    const strategy = runStrategyOf(vm);
    if (strategy === 'Halted') return false;
    return strategy === 'Manual' || strategy === 'RerunOnFailure' ? isLive(vmi) : true;
  },
  decide(target) {
    const strategy = runStrategyOf(target.vm);
    if (strategy === 'Halted' || (strategy === 'Manual' && !isLive(target.vmi))) return NOTHING;
    // A VM that is started by hand is off when nothing runs: it need not change its strategy for that.
    return { type: 'write', writes: strategy === 'Manual' ? stopWrites(target) : [halt(target.vm)] };
  },
});

export const forceStop = vmAction({
  name: 'forceStop',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Powers the VM off immediately, without waiting for the guest.',
  isListed: ({ vm }) => vm.status?.printableStatus === 'Stopping',
  decide(target) {
    const { vm, vmi } = target;
    if (!isLive(vmi)) return stop.decide(target, NO_INPUT);
    const strategy = runStrategyOf(vm);
    const now = setGracePeriod(0, vmi.spec.terminationGracePeriodSeconds);
    if (strategy !== 'Halted' && strategy !== 'Manual') return { type: 'write', writes: [now, halt(vm)] };
    // Its grace period is 0 already.
    if (strategy === 'Halted' && vmi.spec.terminationGracePeriodSeconds === 0) return NOTHING;
    return { type: 'write', writes: stopWrites(target, { gracePeriod: 0 }) };
  },
});

export const restart = vmAction({
  name: 'restart',
  method: 'PUT',
  minimumRole: 'edit',
  starts: true,
  summary: 'Restarts the VM.',
  isListed: ({ vm, vmi }) =>
    !isStartPending(vm) && vmi !== undefined && !['Halted', 'Once'].includes(runStrategyOf(vm)),
  decide: (target) => ({ type: 'write', writes: restartWrites(target) }),
});

const isStartPending = ({ status }: VirtualMachine): boolean =>
  (status?.stateChangeRequests ?? []).some(({ action }) => action === 'Start');

/** What is done to the VMI of a VM, asked of the VM. */
const toVmi = (
  name: string,
  summary: string,
  action: PlannedAction<'virtualmachineinstances', unknown>,
  mayBeListed: (vmi: VirtualMachineInstance) => boolean,
) =>
  vmAction({
    name,
    method: 'PUT',
    minimumRole: 'edit',
    summary,
    isListed: ({ vmi }) => vmi !== undefined && isRunning(vmi) && mayBeListed(vmi),
    decide({ vm, vmi }: Target) {
      if (!vmi) throw vmConflict(vm, 'VM is not running');
      return action.decide({ vm, vmi }, NO_INPUT);
    },
  });

const mayBeHeld = (vmi: VirtualMachineInstance): boolean => !isPaused(vmi) && !vmi.spec.livenessProbe;

export const pause = toVmi('pause', 'Pauses the guest.', ofVmi.pause, mayBeHeld);
export const unpause = toVmi('unpause', 'Resumes a paused guest.', ofVmi.unpause, isPaused);
export const softReboot = toVmi(
  'softreboot',
  'Asks the guest to reboot, through the guest agent or ACPI.',
  ofVmi.softReboot,
  mayBeHeld,
);
