import { type Clock, type Log, pause } from '@vireo/kube';
import {
  type FirewallConflict,
  firewallConflicts,
  type NetworkPlan,
  type Ruleset,
  readForeignTables,
  readUplinks,
  watchTables,
} from '@vireo/network';

/** Tables of ours that others may delete. */
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

/** Keeps our tables in the kernel, and tells which firewalls of others drop packets of guests, until `signal` aborts. */
export async function guardNetwork(context: GuardContext, signal: AbortSignal): Promise<void> {
  const { tables, node, plan, log, clock } = context;
  if (tables.length === 0) return;
  const subject = { kind: 'Node', name: node };
  const onError = (error: unknown): void => log.warn('cannot look after the rules of the network', subject, { error });
  let woken = Promise.withResolvers<void>();
  const watching = watchTables(
    {
      tables: tables.flatMap(({ names }) => names),
      onLost: async (lost) => {
        log.warn('somebody has deleted rules of the network; they are loaded anew', subject, {
          tables: lost.join(', '),
        });
        for (const { names, reload } of tables) if (names.some((name) => lost.includes(name))) await reload();
      },
      onOthers: () => woken.resolve(),
      onError,
    },
    signal,
  );
  let known: string | undefined;
  while (!signal.aborted) {
    try {
      for (const { refresh } of tables) await refresh?.();
      const found = plan ? firewallConflicts(await readForeignTables(), { plan, uplinks: await readUplinks() }) : [];
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
  await watching;
}
