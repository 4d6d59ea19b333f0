import { type Clock, type EventRecorder, type Log, pause } from '@vireo/kube';
import {
  type FirewallConflict,
  firewallConflicts,
  type NetworkPlan,
  type Ruleset,
  readForeignTables,
  readUplinks,
  watchDevices,
  watchTables,
} from '@vireo/network';
import { nodeReference } from '../registration/nodeReference.ts';
import { changesText, type GuardedDevices } from './guardedDevices.ts';

/** Tables of ours that others may change or delete. */
export interface GuardedTables {
  /** Such as `inet vireo0`. */
  readonly names: readonly string[];
  readonly reload: () => Promise<void>;
  /** Looks whether they are still right. */
  readonly refresh?: () => Promise<void>;
}

export interface GuardContext {
  readonly node: string;
  readonly tables: readonly GuardedTables[];
  /** The network whose packets others may drop; missing where there is none. */
  readonly plan?: NetworkPlan;
  /** Told when firewalls of others have changed what they do with packets of guests. */
  readonly onFirewalls: (conflicts: readonly FirewallConflict[]) => void;
  /** Devices, routes and settings of ours that others may change; missing where there are none. */
  readonly devices?: GuardedDevices;
  readonly recorder: Pick<EventRecorder, 'event'>;
  readonly log: Log;
  readonly clock: Clock;
}

/** Tables of others that come and go are noticed at once; a rule that was mended is after this. */
const PERIOD_MS = 30_000;
/** Firewalls are loaded by many commands. */
const SETTLE_MS = 1_000;

/** The tables of a network, kept by its ruleset. */
export const tablesOf = ({ name }: NetworkPlan, ruleset: Ruleset): GuardedTables => ({
  names: [`arp ${name}`, `inet ${name}`],
  reload: async () => {
    ruleset.invalidate();
    await ruleset.apply();
  },
});

async function conflictsOf(plan: NetworkPlan): Promise<FirewallConflict[]> {
  const hasIpv6 = plan.ipv6 !== undefined;
  const uplinks6 = hasIpv6 ? await readUplinks('-6') : [];
  return firewallConflicts(await readForeignTables(hasIpv6), { plan, uplinks: await readUplinks(), uplinks6 });
}

/** Keeps our tables and devices in the kernel as they should be, and tells which firewalls of others drop packets of guests, until `signal` aborts. */
export async function guardNetwork(context: GuardContext, signal: AbortSignal): Promise<void> {
  const { tables, devices, node, plan, recorder, log, clock } = context;
  if (tables.length === 0) return;
  const subject = { kind: 'Node', name: node };
  const onError = (error: unknown): void => log.warn('cannot look after the rules of the network', subject, { error });
  const report = (text: string, what: string): void => {
    log.warn(text, subject, { what });
    recorder.event(nodeReference(node), 'Warning', 'NetworkRepaired', `${text}: ${what}`);
  };
  const reload = async (names: readonly string[]): Promise<void> => {
    for (const each of tables) if (each.names.some((name) => names.includes(name))) await each.reload();
  };
  let woken = Promise.withResolvers<void>();
  const watching = [
    watchTables(
      {
        tables: tables.flatMap(({ names }) => names),
        onLost: async (lost) => {
          report('somebody has deleted rules of the network; they are loaded anew', lost.join(', '));
          await reload(lost);
        },
        onChanged: async (changed) => {
          report('somebody has changed rules of the network; they are loaded anew', changed.join(', '));
          await reload(changed);
        },
        onOthers: () => woken.resolve(),
        onError,
      },
      signal,
    ),
    devices &&
      watchDevices(
        {
          expectedOf: devices.expectedOf,
          onLost: async (lost) => {
            report('somebody has changed devices of the network; they are put right', changesText(lost));
            await devices.repair(lost);
          },
          onMissed: () => devices.repair(),
          onError: (error) => log.warn('cannot look after the devices of the network', subject, { error }),
        },
        signal,
      ),
  ];
  let known: string | undefined;
  while (!signal.aborted) {
    try {
      for (const { refresh } of tables) await refresh?.();
      const found = plan ? await conflictsOf(plan) : [];
      const text = JSON.stringify(found);
      if (text !== known && (found.length > 0 || known !== undefined)) context.onFirewalls(found);
      known = text;
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    const turn = new AbortController();
    await Promise.race([pause(PERIOD_MS, AbortSignal.any([signal, turn.signal]), clock), woken.promise]);
    turn.abort();
    await pause(SETTLE_MS, signal, clock);
    woken = Promise.withResolvers<void>();
  }
  await Promise.all(watching);
}
