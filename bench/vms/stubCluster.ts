import { Namespace } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { LOOPBACK, startServer } from '@vireo/apiserver';
import { startControlPlane } from '@vireo/cli/controlPlane.ts';
import { Client, Informers } from '@vireo/kube';
import { USER as NODE } from '@vireo/node';

/** A whole Vireo in this process whose VMs are stubs on simulated nodes: no libvirt, no guests. */
export interface StubCluster {
  /** May do anything, and is counted like everybody. */
  readonly client: Client;
  /** Speaks as the nodes do: what anybody else says of the state of a VM is dropped. */
  readonly nodeClient: Client;
  readonly informers: Informers;
  /** Writes so far, of everybody, events included. */
  writes(): Promise<number>;
  stop(): Promise<void>;
}

export const STUB_NAMESPACE = 'bench';

const quiet = { debug() {}, info() {}, warn: console.error, error: console.error };

/** Starts it on a home, with so many nodes; without controllers where these run in a process of their own. */
export async function startStubCluster(
  home: string,
  nodes: number,
  { hasControllers = true }: { hasControllers?: boolean } = {},
): Promise<StubCluster> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const server = await startServer({
    home,
    port: 0,
    host: '127.0.0.1',
    extend: async (api, step, port) => {
      const plane = await startControlPlane({ useEmulation: true, hasControllers, port }, api, step, signal);
      await choose(new Client(api.transportFor(LOOPBACK)));
      const simulation = await plane.simulate(nodes);
      return async () => {
        stopping.abort();
        await Promise.all([plane.ended, simulation.ended]);
      };
    },
  });
  const client = new Client(server.api.transportFor(LOOPBACK));
  await client.of(Namespace).create({ metadata: { name: STUB_NAMESPACE } });
  const nodeClient = new Client(server.api.transportFor({ username: NODE, groups: ['system:authenticated'] }));
  const informers = new Informers(client, { log: quiet });
  informers.start(signal);
  const writes = async (): Promise<number> =>
    Number((await client.of(Namespace).list({ limit: 1 })).metadata?.resourceVersion);
  return { client, nodeClient, informers, writes, stop: () => server.close() };
}

/** VMs are stubs from now on. */
async function choose(client: Client): Promise<void> {
  const configuration = {
    hypervisorConfiguration: { name: 'stub' },
    developerConfiguration: { useEmulation: true, featureGates: ['ConfigurableHypervisor'] },
  };
  const at = { namespace: 'kubevirt', type: 'merge' } as const;
  await client.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, at);
}
