import { Node, timestamp, withCondition } from '@vireo/api';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { formatBytes } from '@vireo/api/quantity.ts';
import { type Client, type Clock, type Log, pause } from '@vireo/kube';
import type { DiskState } from '../host/diskSpace.ts';

export type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];

/** What the node's readiness hangs on. */
export interface HealthSource {
  /** Why no VM can be started or stopped now; undefined while all is well. */
  problem(): string | undefined;
  /** Calls back when that may have changed; the result ends it. */
  onChange(callback: () => void): () => void;
  /** How full its disk is; undefined while that is not known. */
  disk?(): DiskState | undefined;
}

/** A daemon that was killed is back within this; nobody needs to hear of it. */
const RESTART_MS = 1_000;
/** After a silence of ours the server has written for us that it does not know; this takes it back. */
const REPEAT_MS = 60_000;
/** What did not reach the server is written again soon: until then it sends VMs here, or none. */
const RETRY_MS = 3_000;

const pressure = (of: string) => ({ type: `${of}Pressure`, status: 'False' });

/** A condition of a node before it is written. */
export type ConditionDraft = Omit<NodeCondition, 'lastHeartbeatTime'>;

/** What a node says of pressure. It measures that of its disk only. */
export const pressureConditions = (disk: DiskState | undefined): readonly ConditionDraft[] => [
  { ...pressure('Memory'), reason: 'KubeletHasSufficientMemory', message: 'memory is reserved by request' },
  disk?.isUnderPressure
    ? { type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure', message: pressureMessage(disk) }
    : { ...pressure('Disk'), reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { ...pressure('PID'), reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
];

const pressureMessage = ({ directory, freeBytes, totalBytes }: DiskState): string =>
  `${formatBytes(freeBytes)} of ${formatBytes(totalBytes)} is free in ${directory}; guests are paused when the disk is full`;

/** The event when pressure on the disk of a node begins or ends; the first line is kubelet's. */
export const pressureEvent = (
  node: string,
  disk: DiskState,
): { type: 'Normal' | 'Warning'; reason: string; message: string } => {
  const reason = disk.isUnderPressure ? 'NodeHasDiskPressure' : 'NodeHasNoDiskPressure';
  const message = `Node ${node} status is now: ${reason}`;
  return disk.isUnderPressure
    ? { type: 'Warning', reason, message: `${message}: ${pressureMessage(disk)}` }
    : { type: 'Normal', reason, message };
};

export const readyCondition = (problem: string | undefined): ConditionDraft =>
  problem === undefined
    ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'libvirt is responding' }
    : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: problem };

/** Whether new VMs are sent here: the label by which launchers choose nodes. */
export const schedulable = (problem: string | undefined): Record<string, string> => ({
  [SCHEDULABLE_LABEL]: problem === undefined ? 'true' : 'false',
});

/** Why the node may not report now; undefined while it may. */
export type Refusal = () => Error | undefined;

/** Keeps the node's conditions and its label for launchers true to `health` until `signal` aborts. */
export async function keepReadiness(
  client: Client,
  name: string,
  health: HealthSource,
  { clock, log, refusal }: { clock: Clock; log: Log; refusal?: Refusal },
  signal: AbortSignal,
): Promise<void> {
  let changed = Promise.withResolvers<void>();
  const stop = health.onChange(() => changed.resolve());
  // The registration reported no problem, and the pressure of its moment.
  let reported: string | undefined;
  let wasUnderPressure = health.disk?.()?.isUnderPressure;
  let reportedAtMs = clock.now();
  while (!signal.aborted) {
    if (health.problem() !== undefined && reported === undefined) await pause(RESTART_MS, signal, clock);
    const problem = health.problem();
    const disk = health.disk?.();
    let waitMs = REPEAT_MS;
    const isNews = problem !== reported || disk?.isUnderPressure !== wasUnderPressure;
    if (!signal.aborted && (isNews || clock.now() - reportedAtMs >= REPEAT_MS)) {
      try {
        const refused = refusal?.();
        if (refused) throw refused;
        await writeConditions(client, name, problem, disk, new Date(clock.now()));
        reported = problem;
        wasUnderPressure = disk?.isUnderPressure;
        reportedAtMs = clock.now();
      } catch (error) {
        if (!signal.aborted)
          log.warn('cannot report the readiness of the node to the server', { kind: Node.kind, name }, { error });
        waitMs = RETRY_MS;
      }
    }
    const woken = new AbortController();
    await Promise.race([pause(waitMs, AbortSignal.any([signal, woken.signal]), clock), changed.promise]);
    woken.abort();
    changed = Promise.withResolvers<void>();
  }
  stop();
}

async function writeConditions(
  client: Client,
  name: string,
  problem: string | undefined,
  disk: DiskState | undefined,
  now: Date,
): Promise<void> {
  const nodes = client.of(Node);
  const { metadata, status } = await nodes.get(name);
  const wanted = [...pressureConditions(disk), readyCondition(problem)];
  const conditions = wanted.reduce<NodeCondition[]>(
    (all, each) => withCondition(all, { ...each, lastHeartbeatTime: timestamp(now) }, now),
    status?.conditions?.filter(({ type }) => wanted.some((each) => each.type === type)) ?? [],
  );
  await nodes.patchStatus(name, { status: { conditions } }, { type: 'strategic' });
  const labels = schedulable(problem);
  if (metadata.labels?.[SCHEDULABLE_LABEL] !== labels[SCHEDULABLE_LABEL])
    await nodes.patch(name, { metadata: { labels } }, { type: 'merge' });
}
