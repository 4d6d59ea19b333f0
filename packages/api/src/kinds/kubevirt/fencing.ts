/** What nodes, controllers and administrators agree on, so that no VMI runs twice. */

import type { Node } from '../core/node.ts';
import type { VirtualMachineInstance } from './virtualMachineInstance.ts';

/** An administrator puts it on a node whose host is off; with any value and any effect. */
export const OUT_OF_SERVICE_TAINT = 'node.kubernetes.io/out-of-service';

/** Whether an administrator says that the host of a node is off. */
export const isOutOfService = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE_TAINT);

/** The heartbeat of a Node that was made in place of one that was removed, to say that its host is off. */
export const NEVER_REPORTED = '1970-01-01T00:00:00Z';

/**
 * Why a VMI is `Unknown`: its node is unreachable, there is no such node any more, or its node was given up while the
 * guest was moving to another, where it may run.
 */
export const UNKNOWN_REASONS = ['NodeUnresponsive', 'NodeRemoved', 'GuestMayHaveMoved'] as const;
export const GUEST_MAY_HAVE_MOVED = 'GuestMayHaveMoved';
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** Whether nobody can say whether the guest runs, because nothing is heard of its node. */
export const isUnknown = (vmi: VirtualMachineInstance | undefined): boolean => vmi?.status?.phase === 'Unknown';

/** Since when that is so, in milliseconds since the epoch; undefined for others. */
export function unknownSinceMs(vmi: VirtualMachineInstance): number | undefined {
  if (!isUnknown(vmi)) return undefined;
  const times = (vmi.status?.phaseTransitionTimestamps ?? []).filter(({ phase }) => phase === 'Unknown');
  const time = Date.parse(times.at(-1)?.phaseTransitionTimestamp ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/**
 * On VMIs whose node was given up while the guest was moving: the uid of that migration. The target was reporting when it
 * was asked to end its pod, so that it either takes the guest over or lets the pod go.
 */
export const ASKED_TARGET_ANNOTATION = 'vireo.io/asked-target-of-migration';

/** On Nodes: what happens by itself when the node is unreachable. Only an administrator sets it. */
export const FENCING_ANNOTATION = 'vireo.io/fencing';

/**
 * On the Lease of a node, with every renewal: after how many seconds from the moment that the renewal was sent the
 * node's guests have ended, unless another renewal is acknowledged before.
 */
export const STOP_PROMISE_ANNOTATION = 'vireo.io/guests-stop-after-seconds';

/** The policy `lease`: an unreachable node ends its guests, and then they are started elsewhere. */
export interface LeasePolicy {
  /** How long after the last acknowledged renewal the node ends its guests. */
  readonly stopAfterSeconds: number;
  /** After how long without a sign of the node the controllers start them elsewhere. */
  readonly restartAfterSeconds: number;
}

/** What the end of the guests may take, and what clocks and a busy host may add. */
export const STOP_MARGIN_SECONDS = 40;
/** Several renewals may fail before a guest ends: they are sent every ten seconds. */
export const LEAST_STOP_SECONDS = 30;
export const DEFAULT_LEASE_POLICY: LeasePolicy = { stopAfterSeconds: 60, restartAfterSeconds: 120 };

/** The value of the annotation for a policy. */
export const leasePolicyText = ({ stopAfterSeconds, restartAfterSeconds }: LeasePolicy): string =>
  `lease stopAfter=${stopAfterSeconds}s restartAfter=${restartAfterSeconds}s`;

/** The policy of a node: none without the annotation, and a problem where its value makes no sense. */
export function fencingPolicy({ metadata }: Node): LeasePolicy | { readonly problem: string } | undefined {
  const text = metadata.annotations?.[FENCING_ANNOTATION]?.trim() ?? '';
  return text === '' || text === 'none' ? undefined : parseLeasePolicy(text);
}

/** Reads `lease`, or `lease stopAfter=60s restartAfter=120s`. */
export function parseLeasePolicy(text: string): LeasePolicy | { readonly problem: string } {
  const [name, ...settings] = text.split(/[\s,;]+/);
  const problem = (why: string) => ({
    problem: `${why}: write "none", "lease" or "${leasePolicyText(DEFAULT_LEASE_POLICY)}"`,
  });
  if (name !== 'lease') return problem(`there is no policy "${name}"`);
  const policy = { ...DEFAULT_LEASE_POLICY };
  for (const setting of settings) {
    const [, key, seconds] = /^(stopAfter|restartAfter)=(\d{1,6})s?$/.exec(setting) ?? [];
    if (key === undefined) return problem(`"${setting}" is no setting`);
    policy[`${key as 'stopAfter' | 'restartAfter'}Seconds`] = Number(seconds);
  }
  const { stopAfterSeconds, restartAfterSeconds } = policy;
  if (stopAfterSeconds < LEAST_STOP_SECONDS) return problem(`stopAfter must be at least ${LEAST_STOP_SECONDS}s`);
  const least = stopAfterSeconds + STOP_MARGIN_SECONDS;
  if (restartAfterSeconds < least)
    return problem(`restartAfter must be at least ${STOP_MARGIN_SECONDS}s longer than stopAfter, ${least}s`);
  return policy;
}
