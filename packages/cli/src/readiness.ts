import { conditionOf, type Node, type Persisted } from '@vireo/api';
import type { Client } from '@vireo/kube';

/** How this host does as a node. */
export interface NodeState {
  readonly name: string;
  readonly ready: boolean;
  readonly problem?: string;
  readonly virtualization: 'kvm' | 'emulation';
  /** Its version. */
  readonly libvirt: string;
}

export interface VmCount {
  readonly running: number;
  /** Virtual machines, and instances that belong to none. */
  readonly total: number;
}

/** What a server says of itself. */
export interface ServerResponse {
  /** Why it is not ready; empty when it is. */
  readonly problems: readonly string[];
  readonly node?: NodeState;
  readonly vms?: VmCount;
}

const timeoutMs = 5_000;

/** Asks the server that a kubeconfig leads to. One that cannot be reached is not ready. */
export async function askServer(kubeconfig: string, runsVms: boolean): Promise<ServerResponse> {
  // Loaded here, so that the other commands start without it.
  const { Client, httpTransport, loadKubeconfig } = await import('@vireo/kube');
  try {
    const client = new Client(httpTransport({ ...(await loadKubeconfig({ path: kubeconfig })), timeoutMs }));
    try {
      const { status, body } = await client.transport.call({
        method: 'GET',
        path: '/readyz',
        query: { verbose: true },
      });
      const problems = status === 200 ? [] : failedChecks(String(body));
      return { problems, ...(runsVms && (await askForVms(client))) };
    } finally {
      await client.close();
    }
  } catch (error) {
    return { problems: [`it does not respond: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

/** The checks that failed, from what `/readyz?verbose` says. */
export function failedChecks(body: string): string[] {
  const failed = [...body.matchAll(/^\[-\](\S+) failed(?:: (.*))?$/gm)].map(([, name, why]) =>
    why ? `${name}: ${why}` : `${name}`,
  );
  return failed.length > 0 ? failed : [body.trim()];
}

async function askForVms(client: Client): Promise<Pick<ServerResponse, 'node' | 'vms'>> {
  const { Node } = await import('@vireo/api');
  const { VirtualMachine } = await import('@vireo/api/kinds/kubevirt/virtualMachine.ts');
  const { VirtualMachineInstance } = await import('@vireo/api/kinds/kubevirt/virtualMachineInstance.ts');
  const [nodes, vms, vmis] = await Promise.all([
    client.of(Node).list(),
    client.of(VirtualMachine).list(),
    client.of(VirtualMachineInstance).list(),
  ]);
  const node = nodes.items.map(nodeState).find((state) => state !== undefined);
  const alone = vmis.items.filter(({ metadata }) => !metadata.ownerReferences?.some(({ controller }) => controller));
  return {
    ...(node && { node }),
    vms: {
      running: vmis.items.filter((vmi) => vmi.status?.phase === 'Running').length,
      total: vms.items.length + alone.length,
    },
  };
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
  };
}
