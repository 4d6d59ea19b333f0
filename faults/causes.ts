import type { VirtualMachine, VirtualMachineInstance } from './objects.ts';
import type { Scene } from './scene.ts';

/** What a VM is called when something is wrong with it. */
const TROUBLED = /^(CrashLoopBackOff|Error|DataVolumeError|ImagePullBackOff)/;

interface Condition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

const saysWhy = (conditions: readonly Condition[] = []): boolean =>
  conditions.some(({ status, message }) => status !== 'True' && Boolean(message));

/** A VM that is shown as troubled, without a condition that says why. */
export function unexplainedVm({ metadata, status }: VirtualMachine): string[] {
  const says = status?.printableStatus ?? '';
  if (!TROUBLED.test(says) || saysWhy(status?.conditions)) return [];
  return [`${metadata.name} is ${says} and no condition says why`];
}

/** A VMI that has failed, without a condition that says why. */
export function unexplainedVmi({ metadata, status }: VirtualMachineInstance): string[] {
  if (status?.phase !== 'Failed' || saysWhy(status.conditions)) return [];
  return [`VMI ${metadata.name} has failed and no condition says why`];
}

/** Failures without a condition that has their cause. */
export function unexplained({ vms, vmis, snapshots, restores }: Scene): string[] {
  const failures = [
    ...snapshots.filter(({ status }) => status?.phase === 'Failed'),
    ...restores.filter(({ status }) => !status?.complete),
  ];
  return [
    ...vms.flatMap(unexplainedVm),
    ...vmis.flatMap(unexplainedVmi),
    ...failures
      .filter(({ status }) => !status?.conditions?.some(isCause))
      .map(({ kind, metadata }) => `${kind} ${metadata.name} has failed and no condition says why`),
  ];
}

/** These kinds tell the cause as the reason. That time has run out says nothing of what was waited for. */
const isCause = ({ type, reason = '' }: Condition): boolean =>
  (type === 'Failure' || type === 'Progressing') &&
  !['', 'Operation failed'].includes(reason) &&
  !reason.endsWith('deadline exceeded');
