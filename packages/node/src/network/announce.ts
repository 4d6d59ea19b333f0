import { isIP, isIPv4, isIPv6 } from 'node:net';
import { Node, timestamp } from '@vireo/api';
import { type ConditionDraft, conditionsPatch, mergeConditions } from '@vireo/api/conditions.ts';
import {
  IPV4_ADDRESSES_ANNOTATION,
  IPV6_ADDRESSES_ANNOTATION,
  POD_NETWORK_ANNOTATION,
  WIREGUARD_KEY_ANNOTATION,
  WIREGUARD_PORT_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import type { Client } from '@vireo/kube';
import { canonical6, isWireguardKey, type WireguardEnd } from '@vireo/network';
import { ENCRYPTION_CONDITION } from './encryption.ts';

/** What other nodes have to know of a node to lead to its guests. */
export interface Announcement {
  readonly isRouted: boolean;
  readonly wireguard?: WireguardEnd | undefined;
  /** The addresses of the host, of both families. */
  readonly addresses?: readonly string[];
  readonly condition?: ConditionDraft | undefined;
}

/** The annotations of a Node that are to change; null for those that go. */
export function announcementPatch(
  node: Pick<Node, 'metadata'>,
  { isRouted, wireguard, addresses = [] }: Announcement,
): Record<string, string | null> {
  const list = (isOf: (address: string) => boolean): string | null =>
    addresses.filter(isOf).slice(0, MOST_ADDRESSES).join(',') || null;
  const wanted = {
    [POD_NETWORK_ANNOTATION]: isRouted ? 'routed' : null,
    [WIREGUARD_KEY_ANNOTATION]: wireguard?.publicKey ?? null,
    [WIREGUARD_PORT_ANNOTATION]: wireguard ? String(wireguard.port) : null,
    [IPV4_ADDRESSES_ANNOTATION]: list(isIPv4),
    [IPV6_ADDRESSES_ANNOTATION]: list(isIPv6),
  };
  const { annotations = {} } = node.metadata;
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => (annotations[name] ?? null) !== value));
}

/** What a Node announces of WireGuard; undefined if it has none. */
export function announcedWireguard({ metadata }: Pick<Node, 'metadata'>): WireguardEnd | undefined {
  const publicKey = metadata.annotations?.[WIREGUARD_KEY_ANNOTATION] ?? '';
  const port = Number(metadata.annotations?.[WIREGUARD_PORT_ANNOTATION]);
  const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
  return isWireguardKey(publicKey) && isPort ? { publicKey, port } : undefined;
}

/** Of one host and family: the rules of all other nodes have them. */
const MOST_ADDRESSES = 64;

/** The addresses of a Node's host: those that its status has, and those that it announces besides. */
export function announcedAddresses({ metadata, status }: Pick<Node, 'metadata' | 'status'>): string[] {
  const internal = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  const others = [IPV4_ADDRESSES_ANNOTATION, IPV6_ADDRESSES_ANNOTATION].flatMap(
    (annotation) => metadata.annotations?.[annotation]?.split(',').slice(0, MOST_ADDRESSES) ?? [],
  );
  const valid = [...internal, ...others].filter((address) => isIP(address) && !address.includes('%'));
  return [...new Set(valid.map((address) => (isIPv6(address) ? canonical6(address) : address)))].sort();
}

/** Whether the guests of a Node have addresses of their own. */
export const isAnnounced = ({ metadata }: Pick<Node, 'metadata'>): boolean =>
  metadata.annotations?.[POD_NETWORK_ANNOTATION] === 'routed';

/** Brings what a Node says of its network up to date. Only the node itself may: `kubelet` is its identity. */
export async function announce(kubelet: Client, node: Node, announcement: Announcement, now: Date): Promise<void> {
  const nodes = kubelet.of(Node);
  const { name = '' } = node.metadata;
  const annotations = announcementPatch(node, announcement);
  if (Object.keys(annotations).length > 0)
    await nodes.patch(name, { metadata: { annotations: annotations as Record<string, string> } }, { type: 'merge' });
  const before = node.status?.conditions ?? [];
  const { condition } = announcement;
  const after = mergeConditions(before, condition ? [condition] : [], now, {
    managed: [ENCRYPTION_CONDITION],
    stamp: { lastHeartbeatTime: timestamp(now) },
  });
  const isGone = before.some(({ type }) => type === ENCRYPTION_CONDITION) && !condition;
  const conditions = isGone ? [{ type: ENCRYPTION_CONDITION, $patch: 'delete' }] : conditionsPatch(before, after);
  if (conditions.length > 0)
    await nodes.patchStatus(name, { status: { conditions } } as Partial<Node>, { type: 'strategic' });
}
