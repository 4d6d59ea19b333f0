import { join } from 'node:path';
import { Node, type Persisted } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { LOOPBACK, startServer } from '@vireo/apiserver';
import { startControlPlane } from '@vireo/cli/controlPlane.ts';
import { Client, type Draft } from '@vireo/kube';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { temporaryHome } from '../vireo.ts';
import { isWhole, Specs } from './specs.ts';

/** The settings that every test begins with: VMs are stubs, and nothing else is set. */
const CONFIGURATION = {
  hypervisorConfiguration: { name: 'stub' },
  developerConfiguration: { useEmulation: true, featureGates: ['ConfigurableHypervisor'] },
  migrations: null,
  evictionStrategy: null,
  liveUpdateConfiguration: null,
  vmRolloutStrategy: null,
};

/**
 * A whole Vireo in this process for the tests of one file, with admission and three simulated nodes: for specs whose VMIs
 * have no guest, or whose guest does not matter.
 */
export function useSimulatedNodes(): { readonly specs: () => Specs; readonly nodes: readonly string[] } {
  const nodes = ['simulated-0', 'simulated-1', 'simulated-2'];
  if (isWhole) vi.setConfig({ testTimeout: 300_000 });
  let specs: Specs | undefined;
  let before: Persisted<Node>[] = [];
  const current = (): Specs => {
    if (!specs) throw new Error('the server runs only while tests do');
    return specs;
  };
  beforeAll(async () => {
    const stopping = new AbortController();
    const { home, remove } = await temporaryHome();
    const server = await startServer({
      home,
      port: 0,
      host: '127.0.0.1',
      extend: async (api, step, port) => {
        const plane = await startControlPlane({ useEmulation: true, port }, api, step, stopping.signal);
        const simulation = await plane.simulate(nodes.length);
        return async () => {
          stopping.abort();
          await Promise.all([plane.ended, simulation.ended]);
        };
      },
    });
    specs = new Specs(
      new Client(server.api.transportFor(LOOPBACK)),
      join(home, 'kubeconfig'),
      join(home, 'kubectl-cache'),
    );
    await specs.configure(CONFIGURATION);
    return async () => {
      await server.close();
      await remove();
    };
  });
  beforeEach(async () => {
    const { items } = await current().client.of(Node).list();
    before = items;
    await current().begin(CONFIGURATION);
  });
  afterEach(async () => {
    await current().end();
    await restore(current().client, before);
  });
  afterAll(() => {
    specs = undefined;
  });
  return { specs: current, nodes };
}

/** Brings labels, taints and cordons of nodes back to what they were. */
async function restore(client: Client, before: readonly Persisted<Node>[]): Promise<void> {
  for (const { metadata, spec } of before) {
    const now = await client.of(Node).get(metadata.name);
    const added = Object.keys(now.metadata.labels ?? {}).filter((label) => !(label in (metadata.labels ?? {})));
    const labels = { ...metadata.labels, ...Object.fromEntries(added.map((label) => [label, null])) };
    const { unschedulable = null, taints = null } = spec ?? {};
    await client
      .of(Node)
      .patch(metadata.name, { metadata: { labels }, spec: { unschedulable, taints } }, { type: 'merge' });
  }
}

/** A VMI without a disk. */
export const guestless = (name: string, spec: Partial<Vmi['spec']> = {}, metadata: object = {}): Draft<Vmi> => ({
  metadata: { name, ...metadata },
  spec: {
    terminationGracePeriodSeconds: 0,
    domain: { memory: { guest: '128Mi' }, devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
    networks: [{ name: 'default', pod: {} }],
    ...spec,
  },
});
