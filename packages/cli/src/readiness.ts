import { conditionOf, type Node, type Persisted } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';

/** How this host does as a node. */
export interface NodeState {
  readonly name: string;
  readonly ready: boolean;
  readonly problem?: string;
  readonly virtualization: 'kvm' | 'emulation';
  /** Its version. */
  readonly libvirt: string;
  /** What it says of the network of its guests. */
  readonly network?: NodeNetworkState;
}

/** What a node says of the network of its guests. */
export interface NodeNetworkState {
  readonly kind: 'routed' | 'user';
  /** Which addresses guests have, or why they have none of their own. */
  readonly message: string;
  /** What guests can reach that they should not; missing where nothing. */
  readonly exposure?: string;
  /** Which firewalls drop their packets, and the command that mends it; missing where none. */
  readonly firewall?: string;
}

export interface VmCount {
  readonly running: number;
  /** Virtual machines, and instances that belong to none. */
  readonly total: number;
}

const timeoutMs = 5_000;

/** Why the server that a kubeconfig leads to is not ready; empty when it is. One that cannot be reached is not. */
export async function problemsOfServer(kubeconfig: string): Promise<readonly string[]> {
  // Loaded here, so that the other commands start without it.
  const { httpTransport, loadKubeconfig } = await import('@vireo/kube');
  try {
    const transport = httpTransport({ ...(await loadKubeconfig({ path: kubeconfig })), timeoutMs });
    try {
      const { status, body } = await transport.call({ method: 'GET', path: '/readyz', query: { verbose: true } });
      return status === 200 ? [] : failedChecks(String(body));
    } finally {
      await transport.close();
    }
  } catch (error) {
    return [`it does not respond: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** The checks that failed, from what `/readyz?verbose` says. */
export function failedChecks(body: string): string[] {
  const failed = [...body.matchAll(/^\[-\](\S+) failed(?:: (.*))?$/gm)].map(([, name, why]) =>
    why ? `${name}: ${why}` : `${name}`,
  );
  return failed.length > 0 ? failed : [body.trim()];
}

/** Counts VMs, and instances that belong to none. */
export function countVms(vms: readonly unknown[], vmis: readonly VirtualMachineInstance[]): VmCount {
  const alone = vmis.filter(({ metadata }) => !metadata.ownerReferences?.some(({ controller }) => controller));
  return { running: vmis.filter(({ status }) => status?.phase === 'Running').length, total: vms.length + alone.length };
}

/** What the object of a node tells; undefined for one that runs no VMs. */
export function nodeState({ metadata, status }: Persisted<Node>): NodeState | undefined {
  const libvirt = /^libvirt:\/\/(.*)/.exec(status?.nodeInfo?.containerRuntimeVersion ?? '')?.[1];
  if (libvirt === undefined) return undefined;
  const condition = (wanted: string) => conditionOf({ status }, wanted);
  const ready = condition('Ready');
  return {
    name: metadata.name,
    ready: ready?.status === 'True',
    ...(ready?.status !== 'True' && { problem: ready?.message ?? 'no reason given' }),
    virtualization: condition('SoftwareEmulation')?.status === 'True' ? 'emulation' : 'kvm',
    libvirt,
    ...networkOf({ status }),
  };
}

/** What the conditions of a node say of the network of its guests. */
export function networkOf(node: Pick<Node, 'status'>): { readonly network?: NodeNetworkState } {
  const routed = conditionOf(node, 'RoutedPodNetwork');
  if (!routed) return {};
  const ifTrue = (type: string): string | undefined => {
    const condition = conditionOf(node, type);
    return condition?.status === 'True' ? condition.message : undefined;
  };
  const [exposure, firewall] = [ifTrue('HostLoopbackReachable'), ifTrue('FirewallConflict')];
  return {
    network: {
      kind: routed.status === 'True' ? 'routed' : 'user',
      message: routed.message ?? '',
      ...(exposure && { exposure }),
      ...(firewall && { firewall }),
    },
  };
}

/** The network of a node's guests in a few words. */
export const networkText = ({ kind, message }: Pick<NodeNetworkState, 'kind' | 'message'>): string =>
  kind === 'routed' ? `routed: ${message}` : `user networking, because ${message}`;
