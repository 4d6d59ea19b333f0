import type { Node } from '@vireo/api';
import type { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { AGENT_VERSION_SUFFIX } from '@vireo/api/kinds/kubevirt/identities.ts';
import { POD_NETWORK_ANNOTATION } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { isBehindNode, type Machine } from './machines.ts';

/** What is told of a network: the pod network of a node, or one of a NetworkAttachmentDefinition. */
export interface NetworkLine {
  /** Missing for pod networks. */
  readonly namespace?: string;
  readonly name: string;
  /**
   * Of pod networks: `routed` where guests have addresses of their own, `user` with QEMU's user networking, `CNI` on nodes of
   * a kubelet. Of others: what the definition says.
   */
  readonly type: string;
  readonly node?: string;
  readonly range?: string;
  /** The bridge, or the device below it. */
  readonly device?: string;
}

/** The pod network of a node, as far as it runs VMs. */
export function podNetwork(node: Node, machines: readonly Machine[]): NetworkLine {
  const { metadata, spec } = node;
  const { name = '' } = metadata;
  const type = podNetworkType(node, machines);
  return {
    name: 'pod',
    type,
    node: name,
    // With user networking, nobody has an address of it.
    ...(spec?.podCIDR && type !== 'user' && { range: (spec.podCIDRs ?? [spec.podCIDR]).join(', ') }),
  };
}

/** What the node says; where it does not, as older ones, its guests do. */
function podNetworkType({ metadata, status }: Node, machines: readonly Machine[]): string {
  if (!status?.nodeInfo?.kubeletVersion?.endsWith(AGENT_VERSION_SUFFIX)) return 'CNI';
  if (metadata.annotations?.[POD_NETWORK_ANNOTATION] === 'routed') return 'routed';
  const own = machines.filter(({ pod }) => pod?.spec?.nodeName === metadata.name && pod?.status?.podIP);
  return own.some((machine) => !isBehindNode(machine)) ? 'routed' : 'user';
}

/** The network of a NetworkAttachmentDefinition. */
export function definedNetwork({ metadata, spec }: NetworkAttachmentDefinition): NetworkLine {
  const config = cniConfig(spec?.config);
  const text = (field: string): string | undefined =>
    typeof config?.[field] === 'string' ? (config[field] as string) : undefined;
  const device = text('bridge') ?? text('master');
  const { subnet } = (config?.ipam ?? {}) as { subnet?: unknown };
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    type: text('type') ?? 'unknown',
    ...(typeof subnet === 'string' && { range: subnet }),
    ...(device && { device }),
  };
}

/** A configuration, or the first plug-in of a list. */
function cniConfig(text = ''): Readonly<Record<string, unknown>> | undefined {
  try {
    const config = JSON.parse(text) as { plugins?: unknown } | null;
    const [first] = Array.isArray(config?.plugins) ? config.plugins : [config];
    return typeof first === 'object' && first !== null ? (first as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
