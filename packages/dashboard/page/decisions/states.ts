/** Groups of states that look alike. */
export type StateGroup = 'running' | 'starting' | 'stopping' | 'off' | 'paused' | 'trouble' | 'unclear';

/** How a state is shown: always an icon, a word and a colour together. */
export interface State {
  readonly group: StateGroup;
  /** For people. */
  readonly label: string;
  /** The API's own word. */
  readonly word: string;
}

const STATES: Readonly<Record<string, readonly [StateGroup, string]>> = {
  Running: ['running', 'Running'],
  Starting: ['starting', 'Starting'],
  Provisioning: ['starting', 'Preparing disks'],
  WaitingForVolumeBinding: ['starting', 'Waiting for a volume'],
  Migrating: ['starting', 'Migrating'],
  WaitingForReceiver: ['starting', 'Waiting for a receiver'],
  Stopping: ['stopping', 'Stopping'],
  Terminating: ['stopping', 'Being deleted'],
  Stopped: ['off', 'Stopped'],
  Paused: ['paused', 'Paused'],
  CrashLoopBackOff: ['trouble', 'Keeps crashing'],
  ErrorUnschedulable: ['trouble', 'No node fits'],
  ErrorPvcNotFound: ['trouble', 'Claim not found'],
  ErrorDataVolumeNotFound: ['trouble', 'Disk not found'],
  DataVolumeError: ['trouble', 'Disk import failed'],
  ErrImagePull: ['trouble', 'Cannot pull image'],
  ImagePullBackOff: ['trouble', 'Cannot pull image'],
  Failed: ['trouble', 'Failed'],
};

/** How the API's word for a state is shown; a word that is new is shown as it is. */
export function stateOf(word: string | undefined): State {
  const [group, label] = (word !== undefined && Object.hasOwn(STATES, word) && STATES[word]) || [
    'unclear',
    word ?? 'Unknown',
  ];
  return { group, label, word: word ?? 'Unknown' };
}

/** The colour of a group: the name of a token in `tokens.css`. */
export const TOKENS: Readonly<Record<StateGroup, string>> = {
  running: 'ok',
  starting: 'busy',
  stopping: 'busy',
  off: 'off',
  paused: 'paused',
  trouble: 'err',
  unclear: 'warn',
};

/** The state of an instance that belongs to no VM, in the words for VMs. */
export function wordOfPhase(phase: string | undefined, isPaused: boolean, isMigrating = false): string {
  if (isPaused) return 'Paused';
  if (isMigrating && phase === 'Running') return 'Migrating';
  switch (phase) {
    case 'Running':
    case 'Failed':
      return phase;
    case 'Succeeded':
      return 'Stopped';
    case undefined:
    case '':
    case 'Pending':
    case 'Scheduling':
    case 'Scheduled':
      return 'Starting';
    default:
      return 'Unknown';
  }
}
