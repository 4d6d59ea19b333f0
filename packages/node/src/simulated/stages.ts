import type { DomainState } from '@vireo/libvirt';

/** One thing that a simulated VM goes through. */
export interface Stage {
  /** How long it takes at least and at most; where in between follows from the VM. */
  readonly takesMs: readonly [least: number, most: number];
  /** What the guest is afterwards; missing where there is no guest yet. */
  readonly becomes?: DomainState;
}

/** What simulated VMs do, and how long real ones take for it. */
export const STAGES = {
  prepare: { takesMs: [20, 120] },
  start: { takesMs: [80, 400], becomes: { state: 'running', reason: 'booted' } },
  startPaused: { takesMs: [80, 400], becomes: { state: 'paused', reason: 'user' } },
  shutdown: { takesMs: [150, 900], becomes: { state: 'shutoff', reason: 'shutdown' } },
  migrate: { takesMs: [50, 300] },
  destroy: { takesMs: [5, 20], becomes: { state: 'shutoff', reason: 'destroyed' } },
} as const satisfies Record<string, Stage>;

export type StageName = keyof typeof STAGES;

/** What a guest prints on its serial console, and how long after its start. */
export const BOOT: readonly (readonly [afterMs: number, line: string])[] = [
  [0, 'SeaBIOS (version stub)'],
  [150, 'Booting from Hard Disk...'],
  [400, '[    0.000000] Linux version 6.12.0-stub'],
  [700, '[    0.412000] Run /sbin/init as init process'],
  [1500, 'Welcome to a simulated VM.'],
  [2000, 'login: '],
];

/** How long a stage takes for one VM: the same each time, and different for different VMs. */
export function durationMs(stage: StageName, uid: string): number {
  const [least, most] = STAGES[stage].takesMs;
  return Math.round(least + (most - least) * fraction(`${stage}/${uid}`));
}

/** A number from 0 to 1 out of a text, spread evenly (FNV-1a): cheap, for it is asked for thousands of VMs. */
function fraction(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0xffffffff;
}

/** What a guest has printed by now. */
export const consoleText = (startedAtMs: number, nowMs: number): string =>
  BOOT.filter(([afterMs]) => startedAtMs + afterMs <= nowMs)
    .map(([, line]) => line)
    .join('\n');
