import {
  ConfigMap,
  EndpointSlice,
  isReason,
  type Kind,
  type KubeObject,
  NetworkPolicy,
  Node,
  type Persisted,
  Pod,
  Service,
} from '@vireo/api';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { KUBEVIRT_NAMESPACE, LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  DEFAULT_NETWORK,
  NETWORK_CONFIG,
  type NetworkConfig,
  parseNetworkConfig,
} from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Connection } from '../connection.ts';
import { orFail, reasonOf } from '../refusal.ts';

/** What the API shows of a cluster's networks, as far as the user may see it. */
export interface NetworkObjects {
  /** What the names of Services end in. */
  readonly domain: string;
  readonly nodes: readonly Persisted<Node>[];
  readonly definitions: readonly Persisted<NetworkAttachmentDefinition>[];
  readonly vms: readonly Persisted<VirtualMachine>[];
  readonly vmis: readonly Persisted<VirtualMachineInstance>[];
  readonly pods: readonly Persisted<Pod>[];
  readonly services: readonly Persisted<Service>[];
  readonly slices: readonly Persisted<EndpointSlice>[];
  readonly policies: readonly Persisted<NetworkPolicy>[];
  /** Kinds that the user may not list, each with what the server says. */
  readonly forbidden: readonly { readonly kind: string; readonly message: string }[];
}

/** Reads the networks of a namespace, or of all. A kind that the user may not list is missing, and said to be. */
export async function readNetwork(connection: Connection, allNamespaces: boolean): Promise<NetworkObjects> {
  const { client } = connection;
  const here = allNamespaces ? {} : { namespace: connection.namespace };
  const forbidden: { kind: string; message: string }[] = [];
  const list = async <T extends KubeObject>(
    kind: Kind<T>,
    where: { namespace?: string; labelSelector?: string } = here,
  ): Promise<Persisted<T>[]> => {
    try {
      return (await client.of(kind).list(where)).items;
    } catch (error) {
      // A cluster need not have every kind.
      if (isReason(error, 'NotFound')) return [];
      if (!isReason(error, 'Forbidden')) throw error;
      forbidden.push({ kind: `${kind.kind.replace(/y$/, 'ie')}s`, message: reasonOf(error) });
      return [];
    }
  };
  return orFail(
    connection,
    (why) => `cannot list networks: ${why}`,
    async () => {
      const [config, nodes, definitions, vms, vmis, pods, services, slices, policies] = await Promise.all([
        networkConfig(connection),
        list(Node, {}),
        list(NetworkAttachmentDefinition),
        list(VirtualMachine),
        list(VirtualMachineInstance),
        list(Pod, { ...here, labelSelector: LAUNCHER_SELECTOR }),
        list(Service),
        list(EndpointSlice),
        list(NetworkPolicy),
      ]);
      forbidden.sort((a, b) => (a.kind < b.kind ? -1 : 1));
      return {
        domain: config.clusterDomain,
        nodes,
        definitions,
        vms,
        vmis,
        pods,
        services,
        slices,
        policies,
        forbidden,
      };
    },
  );
}

/** The ranges and the domain of the cluster; the usual ones where the user may not read them, or it has none of ours. */
export async function networkConfig({ client }: Connection): Promise<NetworkConfig> {
  const map = await client
    .of(ConfigMap)
    .find(NETWORK_CONFIG, { namespace: KUBEVIRT_NAMESPACE })
    .catch(() => undefined);
  return parseNetworkConfig(map) ?? DEFAULT_NETWORK;
}
