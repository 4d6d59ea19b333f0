import { Pod } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { pause } from '@vireo/kube';
import { formatDuration } from '../../../duration.ts';
import { Failure, TIMED_OUT } from '../../../failure.ts';
import { inThisName, programName } from '../../../programName.ts';
import type { Connection } from '../connection.ts';
import { orFail } from '../refusal.ts';
import { type Observed, type Progress, progressOf } from './progress.ts';
import type { StatusLine } from './statusLine.ts';
import { rootClaim } from './vm.ts';

export interface Followed {
  readonly name: string;
  readonly isEphemeral: boolean;
  /** Whether the guest is to report before it counts as up. */
  readonly hasAgent: boolean;
  /** How long to wait while nothing moves. */
  readonly timeoutMs: number;
}

const INTERVAL_MS = 250;

/** Shows the way of a VM up until it runs and its guest has booted. Ends early when `signal` aborts. */
export async function followStart(
  connection: Connection,
  followed: Followed,
  line: StatusLine,
  signal: AbortSignal,
): Promise<void> {
  try {
    await follow(connection, followed, line, signal);
  } finally {
    line.clear();
  }
}

async function follow(
  connection: Connection,
  followed: Followed,
  line: StatusLine,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const elapsed = (): string => formatDuration(performance.now() - startedAt);
  let last: Progress | undefined;
  let movedAt = startedAt;
  let isAnnounced = false;
  while (!signal.aborted) {
    const now = progressOf(await observe(connection, followed));
    if (signal.aborted) return;
    if (isMoved(last, now)) movedAt = performance.now();
    last = now;
    if (now.hasFailed) throw hasFailed(connection, followed, now);
    if (now.isRunning && !isAnnounced) line.say(`  Running after ${elapsed()}`);
    isAnnounced ||= now.isRunning;
    if (now.isRunning && (now.isConnected || !followed.hasAgent)) {
      if (followed.hasAgent) line.say(`  The guest booted after ${elapsed()}`);
      return;
    }
    line.show(now.isRunning ? { ...now, step: 'Waiting for the guest to boot' } : now);
    if (performance.now() - movedAt > followed.timeoutMs) return timeUp(connection, followed, now, line);
    await pause(INTERVAL_MS, signal);
  }
}

const isMoved = (last: Progress | undefined, now: Progress): boolean =>
  last === undefined || last.step !== now.step || last.percent !== now.percent || last.cause !== now.cause;

async function observe(connection: Connection, { name, isEphemeral }: Followed): Promise<Observed> {
  const { client, namespace } = connection;
  const at = { namespace };
  return orFail(
    connection,
    (why) => `${name} cannot be watched: ${why}`,
    async () => {
      const vm = await client.of(VirtualMachine).get(name, at);
      if (vm.status?.printableStatus === 'Running')
        return { vm, vmi: await client.of(VirtualMachineInstance).find(name, at) };
      if (!isEphemeral) return { vm, dataVolume: await client.of(DataVolume).find(rootClaim(name), at) };
      const vmi = await client.of(VirtualMachineInstance).find(name, at);
      if (!vmi) return { vm };
      const labelSelector = `kubevirt.io/created-by=${vmi.metadata.uid}`;
      return { vm, launcher: (await client.of(Pod).list({ ...at, labelSelector })).items[0] };
    },
  );
}

function hasFailed({ namespace }: Connection, { name }: Followed, { step, cause = '' }: Progress): Failure {
  const hint = cause.includes('does not fit')
    ? `Delete the VM and launch it again with a larger --disk: ${programName} delete ${name} -n ${namespace}`
    : `The VM is kept. To delete it: ${programName} delete ${name} -n ${namespace}`;
  return new Failure(`${step[0]?.toLowerCase()}${step.slice(1)}: ${cause}`, hint);
}

function timeUp({ namespace }: Connection, { name }: Followed, last: Progress, line: StatusLine): void {
  if (!last.isRunning)
    throw new Failure(
      `${name} is not running yet: ${last.step}${last.cause ? `: ${last.cause}` : ''}`,
      last.cause?.includes('cannot be reached')
        ? `Set a mirror in registries.json in the server’s home directory, or use the image that needs no network: ${programName} launch`
        : `For details: kubectl describe vm ${name} -n ${namespace}. To wait longer: --timeout 10m.`,
      { exitCode: TIMED_OUT },
    );
  line.say(
    inThisName(`  Its guest agent has not connected yet. To watch it boot: vireo console ${name} -n ${namespace}`),
  );
}
