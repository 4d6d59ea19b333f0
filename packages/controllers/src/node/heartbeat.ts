import type { Lease, Node } from '@vireo/api';
import { HEARTBEAT_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';

/** How long a node may be silent before its VMs are given up. */
export const HEARTBEAT_TIMEOUT_MS = 5 * 60_000;

/**
 * Until when a node counts as alive; undefined for one that runs no VMs. A node is held to be silent only for as
 * long as we have been listening: after a start of ours its last word may be hours old and its guests well.
 */
export function heartbeatExpiresAtMs(
  node: Node,
  lease: Lease | undefined,
  listeningSinceMs: number,
): number | undefined {
  const heartbeat = node.metadata.annotations?.[HEARTBEAT_ANNOTATION];
  if (heartbeat === undefined) return undefined;
  const times = [heartbeat, lease?.spec?.renewTime ?? ''].map(Date.parse).filter((time) => !Number.isNaN(time));
  return Math.max(listeningSinceMs, ...times) + HEARTBEAT_TIMEOUT_MS;
}
