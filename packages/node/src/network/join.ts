import { createHash } from 'node:crypto';
import { ConfigMap, Node } from '@vireo/api';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { NETWORK_CONFIG, parseNetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { type FirewallConflict, processTable } from '@vireo/network';
import type { GuestRange } from '../guests/range.ts';
import type { SessionNetwork } from '../libvirtd/sessionNetwork.ts';
import { nodeReference } from '../registration/nodeReference.ts';
import type { ConditionDraft } from '../registration/readiness.ts';
import { announce } from './announce.ts';
import { conflictText, networkConditions } from './conditions.ts';
import { guardNetwork, tablesOf } from './guard.ts';
import { userNetwork, withNote } from './guestNetwork.ts';
import { type HostAccess, openToRoot, ProcessRules, ROUTED_ACCESS, sessionAccess } from './hostAccess.ts';
import { type NetworkContext, type StartedNetwork, startNetwork } from './index.ts';
import { networkOwner } from './owner.ts';
import { probePasst, whyNoPasst } from './passt.ts';

/** For a controller to give a new node its range. */
const RANGE_TIMEOUT_MS = 10_000;

interface JoinContext extends Omit<NetworkContext, 'podRange' | 'config' | 'vni'> {
  /** Whether guests are to have addresses of their own. */
  readonly isRouted: boolean;
  readonly whenNode: (isSo: (node: Node) => boolean, timeoutMs: number) => Promise<Node | undefined>;
  /** The ids of the users that guests run as; undefined where they run as we do. */
  readonly guestIds: GuestRange | undefined;
  /** The network of an ordinary user's guests; undefined for root. */
  readonly session: Pick<SessionNetwork, 'problem' | 'keep'> | undefined;
  /** The socket of this node's libvirtd. */
  readonly libvirtSocket: string;
  /** Whether the cluster wants new guests to run as root. */
  readonly wantsRoot: () => boolean;
  /** Reports the conditions of the Node that tell of the network, whenever they have changed. */
  readonly report: (conditions: () => readonly ConditionDraft[]) => void;
}

/** Starts the pod network of this node with what the cluster says of it, and looks after it until `signal` aborts. */
export async function joinNetwork(context: JoinContext, signal: AbortSignal): Promise<StartedNetwork> {
  const { home, node, guestIds, session, wantsRoot, report, recorder, log, clock } = context;
  const joined = await startJoined(context, signal);
  const { routed } = joined;
  if (!routed) await withdraw(context);
  const network = routed ? joined.network : withNote(joined.network, await passtNote(context));
  const started = { ...joined, network };
  const owner = networkOwner(home);
  const processes = guestIds && new ProcessRules(owner, guestIds);
  const rootAccess = (await processes?.load()) ?? openToRoot;
  const access = (): HostAccess => {
    if (routed) return ROUTED_ACCESS;
    if (session) return sessionAccess(session.problem);
    return wantsRoot() ? openToRoot : rootAccess;
  };
  let firewalls: readonly FirewallConflict[] = [];
  const conditions = () =>
    networkConditions({
      kind: network.describe(),
      access: access(),
      firewalls,
    });
  report(conditions);
  const guarded = guardNetwork(
    {
      node,
      tables: [
        ...(routed ? [tablesOf(routed.plan, routed.ruleset)] : []),
        ...(processes && !rootAccess.isOpen
          ? [
              {
                names: [`inet ${processTable(owner)}`],
                reload: () => processes.reload(),
                refresh: () => processes.refresh(),
              },
            ]
          : []),
      ],
      ...(routed && { plan: routed.plan, devices: routed.devices }),
      onFirewalls: (found) => {
        firewalls = found;
        for (const each of found) {
          log.warn('a firewall drops packets of guests', { kind: 'Node', name: node }, { why: conflictText(each) });
          recorder.event(nodeReference(node), 'Warning', 'FirewallConflict', conflictText(each));
        }
        report(conditions);
      },
      recorder,
      log,
      clock,
    },
    signal,
  );
  const kept = session?.keep(clock, signal);
  return { ...started, ended: Promise.all([started.ended, guarded, kept]).then(() => undefined) };
}

/** Why guests without addresses of their own do not use passt. */
const passtNote = ({ libvirtSocket, node, log }: JoinContext): Promise<string | undefined> =>
  probePasst(libvirtSocket).then(whyNoPasst, (error: unknown) => {
    log.warn('cannot find out about passt', { kind: 'Node', name: node }, { error });
    return undefined;
  });

/** Other nodes are to lead here no longer, if they did: guests can now send what they take for packets of this node. */
async function withdraw({ kubelet, node, clock }: JoinContext): Promise<void> {
  const own = await kubelet.of(Node).find(node);
  if (own) await announce(kubelet, own, { isRouted: false }, new Date(clock.now()));
}

async function startJoined(context: JoinContext, signal: AbortSignal): Promise<StartedNetwork> {
  const { client, whenNode, isRouted } = context;
  const userOnly = (reason: string, message: string): StartedNetwork => ({
    network: userNetwork(reason, message),
    ended: Promise.resolve(),
  });
  if (!isRouted) return userOnly('UserNetworking', 'the node was started with --pod-network user');
  const map = await client.of(ConfigMap).find(NETWORK_CONFIG, { namespace: KUBEVIRT_NAMESPACE });
  const config = parseNetworkConfig(map);
  if (!map || !config) {
    const message = `the cluster has no ConfigMap ${KUBEVIRT_NAMESPACE}/${NETWORK_CONFIG} with the ranges of its networks; vireo install --cluster-cidr RANGE --service-cidr RANGE writes it`;
    return userOnly('NoNetworkConfig', message);
  }
  const node = await whenNode(({ spec }) => !!spec?.podCIDR, RANGE_TIMEOUT_MS);
  const { podCIDR, podCIDRs = podCIDR ? [podCIDR] : [] } = node?.spec ?? {};
  const ranges = {
    podRange: podCIDRs.find((range) => !range.includes(':')),
    podRange6: podCIDRs.find((range) => range.includes(':')),
  };
  return startNetwork({ ...context, ...ranges, config, vni: vniOf(map.metadata.uid) }, signal);
}

/** A number of 24 bits for a cluster: all of its nodes find the same. */
const vniOf = (uid: string): number => createHash('sha256').update(uid).digest().readUIntBE(0, 3);
