import { Node, timestamp, withCondition } from '@vireo/api';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { type Client, type Clock, type Log, pause } from '@vireo/kube';

export type NodeCondition = NonNullable<NonNullable<Node['status']>['conditions']>[number];

/** What the node's readiness hangs on. */
export interface HealthSource {
  /** Why no VM can be started or stopped now; undefined while all is well. */
  problem(): string | undefined;
  /** Calls back when that may have changed; the result ends it. */
  onChange(callback: () => void): () => void;
}

/** A daemon that was killed is back within this; nobody needs to hear of it. */
const PATIENCE_MS = 1_000;
/** After a silence of ours the server has written for us that it does not know; this takes it back. */
const REPEAT_MS = 60_000;
/** What did not reach the server is written again soon: until then it sends VMs here, or none. */
const RETRY_MS = 3_000;

const pressure = (of: string) => ({ type: `${of}Pressure`, status: 'False' });

/** What a node says of pressure, which it does not measure. */
export const noPressure: readonly Omit<NodeCondition, 'lastHeartbeatTime'>[] = [
  { ...pressure('Memory'), reason: 'KubeletHasSufficientMemory', message: 'memory is given by what is asked for' },
  { ...pressure('Disk'), reason: 'KubeletHasNoDiskPressure', message: 'disks are given by what is asked for' },
  { ...pressure('PID'), reason: 'KubeletHasSufficientPID', message: 'a machine needs few processes' },
];

export const readyCondition = (problem: string | undefined): Omit<NodeCondition, 'lastHeartbeatTime'> =>
  problem === undefined
    ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'libvirt answers' }
    : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: problem };

/** Whether new VMs are sent here: the label by which launchers choose nodes. */
export const schedulable = (problem: string | undefined): Record<string, string> => ({
  [SCHEDULABLE_LABEL]: problem === undefined ? 'true' : 'false',
});

/** Keeps the node's Ready condition and its label for launchers true to `health` until `signal` aborts. */
export async function keepReadiness(
  client: Client,
  name: string,
  health: HealthSource,
  { clock, log }: { clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<void> {
  let changed = Promise.withResolvers<void>();
  const stop = health.onChange(() => changed.resolve());
  // The registration reported no problem.
  let reported: string | undefined;
  let reportedAtMs = clock.now();
  while (!signal.aborted) {
    if (health.problem() !== undefined && reported === undefined) await pause(PATIENCE_MS, signal, clock);
    const problem = health.problem();
    let waitMs = REPEAT_MS;
    if (!signal.aborted && (problem !== reported || clock.now() - reportedAtMs >= REPEAT_MS)) {
      try {
        await writeConditions(client, name, problem, new Date(clock.now()));
        reported = problem;
        reportedAtMs = clock.now();
      } catch (error) {
        if (!signal.aborted)
          log.warn("the node's readiness did not reach the server", { kind: Node.kind, name }, { error });
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

async function writeConditions(client: Client, name: string, problem: string | undefined, now: Date): Promise<void> {
  const nodes = client.of(Node);
  const { metadata, status } = await nodes.get(name);
  const wanted = [...noPressure, readyCondition(problem)];
  const conditions = wanted.reduce<NodeCondition[]>(
    (all, each) => withCondition(all, { ...each, lastHeartbeatTime: timestamp(now) }, now),
    status?.conditions?.filter(({ type }) => wanted.some((each) => each.type === type)) ?? [],
  );
  await nodes.patchStatus(name, { status: { conditions } }, { type: 'strategic' });
  const labels = schedulable(problem);
  if (metadata.labels?.[SCHEDULABLE_LABEL] !== labels[SCHEDULABLE_LABEL])
    await nodes.patch(name, { metadata: { labels } }, { type: 'merge' });
}
