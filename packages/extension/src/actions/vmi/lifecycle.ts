import { badRequest, forbidden, isConditionTrue } from '@vireo/api';
import { isHandedOff, MIGRATING_FREEZE, MIGRATING_PAUSE } from '@vireo/api/kinds/kubevirt/migration.ts';
import { FreezeUnfreezeTimeout, PauseOptions, UnpauseOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isPaused, isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { vmiAction } from '../action.ts';
import { SINGULAR, unreachable, vmiConflict } from '../refusals.ts';

export const pause = vmiAction<PauseOptions>({
  name: 'pause',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Pauses the guest.',
  response: { status: 200 },
  body: PauseOptions,
  decide({ vmi }) {
    if (!isRunning(vmi)) throw vmiConflict(vmi, 'VM is not running');
    const { livenessProbe } = vmi.spec;
    if (livenessProbe && !livenessProbe.guestAgentPing)
      throw forbidden(
        SINGULAR.virtualmachineinstances,
        vmi.metadata.name,
        'Pausing VMIs with LivenessProbe is currently not supported',
      );
    if (isPaused(vmi)) throw vmiConflict(vmi, 'VMI is already paused');
    if (isHandedOff(vmi)) throw vmiConflict(vmi, MIGRATING_PAUSE);
    return { type: 'call', path: 'pause' };
  },
});

export const unpause = vmiAction<UnpauseOptions>({
  name: 'unpause',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Resumes a paused guest.',
  response: { status: 200 },
  body: UnpauseOptions,
  decide({ vm, vmi }) {
    const snapshot = vm?.status?.snapshotInProgress;
    if (snapshot) throw vmiConflict(vmi, `VM snapshot ${JSON.stringify(snapshot)} in progress`);
    requireRunning(vmi);
    if (!isPaused(vmi)) throw vmiConflict(vmi, 'VMI is not paused');
    if (isHandedOff(vmi)) throw vmiConflict(vmi, MIGRATING_PAUSE);
    return { type: 'call', path: 'unpause' };
  },
});

export const freeze = vmiAction<FreezeUnfreezeTimeout>({
  name: 'freeze',
  method: 'PUT',
  minimumRole: 'edit',
  summary: "Freezes the guest's file systems, for at most `unfreezeTimeout`.",
  response: { status: 200 },
  body: FreezeUnfreezeTimeout,
  decide({ vmi }, { body }) {
    requireRunning(vmi);
    if (isHandedOff(vmi)) throw vmiConflict(vmi, MIGRATING_FREEZE);
    return { type: 'call', path: 'freeze', body };
  },
});

export const unfreeze = vmiAction<unknown>({
  name: 'unfreeze',
  method: 'PUT',
  minimumRole: 'edit',
  summary: "Thaws the guest's file systems.",
  response: { status: 200 },
  decide({ vmi }) {
    requireRunning(vmi);
    return { type: 'call', path: 'unfreeze' };
  },
});

export const softReboot = vmiAction<unknown>({
  name: 'softreboot',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Asks the guest to reboot, through the guest agent or ACPI.',
  response: { status: 200 },
  decide({ vmi }) {
    requireRunning(vmi);
    if (isPaused(vmi)) throw vmiConflict(vmi, 'VMI is paused');
    const hasAcpi = vmi.spec.domain.features?.acpi?.enabled !== false;
    if (!hasAcpi && !isConditionTrue(vmi, 'AgentConnected'))
      throw vmiConflict(vmi, 'VMI neither have the agent connected nor the ACPI feature enabled');
    return { type: 'call', path: 'softreboot' };
  },
});

export const reset = vmiAction<unknown>({
  name: 'reset',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Resets the VM, like pressing its reset button.',
  response: { status: 200 },
  decide({ vmi }) {
    const why = unreachable(vmi);
    if (why) throw badRequest(`Failed to reset non-running VMI with phase ${vmi.status?.phase ?? ''}: ${why}`);
    return { type: 'call', path: 'reset' };
  },
});

function requireRunning(vmi: Vmi): void {
  if (!isRunning(vmi)) throw vmiConflict(vmi, 'VMI is not running');
}
