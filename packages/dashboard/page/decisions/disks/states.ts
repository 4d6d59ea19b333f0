import type { DiskDevice, DriveStatus, VolumeStatus } from '../../data/deviceKinds.ts';
import type { Vm, Vmi, Volume } from '../../data/kinds.ts';

export type Tone = 'ok' | 'busy' | 'off' | 'warn' | 'err';

/** How a disk is doing: a word with its colour, and the reason where there is more to say. */
export interface DiskState {
  readonly tone: Tone;
  readonly label: string;
  readonly reason?: string | undefined;
}

export interface DiskFacts {
  readonly isDrive: boolean;
  readonly vm: Vm | undefined;
  readonly vmi: Vmi | undefined;
  readonly device: DiskDevice | undefined;
  /** What the VM's spec wants. */
  readonly volume: Volume | undefined;
  /** What the instance was last told. */
  readonly running: Volume | undefined;
  readonly status: VolumeStatus | undefined;
  readonly drive: DriveStatus | undefined;
}

/** KubeVirt's phases of volumes that are plugged in or out. */
const PHASES: Readonly<Record<string, readonly [Tone, string]>> = {
  Pending: ['busy', 'Waiting for its claim'],
  Bound: ['busy', 'Waiting to be attached'],
  AttachedToNode: ['busy', 'On the node'],
  MountedToPod: ['busy', 'Attaching'],
  Ready: ['ok', 'Ready'],
  Detaching: ['busy', 'Detaching'],
  UnMountedFromPod: ['busy', 'Detached, clearing up'],
};

/** Reasons that somebody has to do something about. */
const PROBLEMS: Readonly<Record<string, readonly [Tone, string]>> = {
  FailedPvcNotFound: ['err', 'Claim not found'],
  HotplugFailed: ['err', 'Failed'],
  FailedMount: ['err', 'Failed'],
  TrayLocked: ['warn', 'Tray locked by the guest'],
};

export function diskState(facts: DiskFacts): DiskState {
  const { isDrive, vm, vmi, volume, running, status, drive } = facts;
  const phase = status?.phase;
  if (phase) {
    const [tone, label] = PROBLEMS[status.reason ?? ''] ?? PHASES[phase] ?? ['warn', phase];
    if (phase !== 'Ready') return { tone, label, reason: status.message };
    return isDrive ? discState(drive) : { tone, label };
  }
  if (!vmi || isOver(vmi)) {
    if (isDrive && !volume) return { tone: 'off', label: 'Empty' };
    return {
      tone: 'off',
      label: 'Off',
      reason: isDrive ? 'The disc is in the drive when the machine starts.' : undefined,
    };
  }
  if (vm && needsRestart(facts)) return { tone: 'warn', label: 'After a restart', reason: 'A restart changes it.' };
  if (isDrive && !volume && !running)
    return { tone: 'off', label: drive?.tray === 'open' ? 'Empty, tray open' : 'Empty' };
  if (volume && !running) return { tone: 'busy', label: 'Waiting to be plugged in' };
  if (!volume && running) return { tone: 'busy', label: 'Waiting to be unplugged' };
  if (vmi.status?.phase !== 'Running') return { tone: 'busy', label: 'Starting' };
  return isDrive ? discState(drive) : { tone: 'ok', label: 'In use' };
}

function discState(drive: DriveStatus | undefined): DiskState {
  if (drive?.message) return { tone: 'warn', label: 'Disc inserted', reason: drive.message };
  return { tone: 'ok', label: 'Disc inserted' };
}

/** A change of something that cannot be plugged in or out waits for the next start. */
function needsRestart({ isDrive, vm, vmi, device, volume, running }: DiskFacts): boolean {
  const runs = vmi?.spec.domain?.devices?.disks?.some(({ name }) => name === device?.name) ?? false;
  const wanted = vm?.spec.template?.spec?.domain?.devices?.disks?.some(({ name }) => name === device?.name) ?? false;
  if (isDrive && runs !== wanted) return true;
  if (Boolean(volume) === Boolean(running)) return false;
  const changed = volume ?? running;
  return (changed?.dataVolume?.hotpluggable ?? changed?.persistentVolumeClaim?.hotpluggable) !== true;
}

const isOver = ({ status }: Vmi): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
