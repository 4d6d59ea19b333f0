import { mkdtemp, rm } from 'node:fs/promises';
import { CustomResourceDefinition, isConditionTrue, Node, type Persisted, Pod } from '@vireo/api';
import { KUBELET_GROUP, kubeletUser, NODE_GROUP, nodeUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { applyInstallation, fitting } from '@vireo/cli/commands/install/apply.ts';
import { installation } from '@vireo/cli/commands/install/objects.ts';
import { readExisting } from '@vireo/cli/commands/install/owners.ts';
import { startControllers } from '@vireo/controllers';
import { Client, httpTransport, loadKubeconfig } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { startHypervisor, startNode } from '@vireo/node';
import { nodeLayout } from '@vireo/node/libvirtd/layout.ts';
import { killEverything } from '@vireo/node/testing/cluster.ts';
import { kvmOfTests } from '@vireo/node/testing/kvm.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ControlPlane, startControlPlane } from './controlPlane.ts';

const NODE = 'thin';
const at = { namespace: 'default' };
const stack = new AsyncDisposableStack();
let plane: ControlPlane;
let admin: Client;

/** A client with a certificate of the cluster's authority. */
async function clientOf(user: string, groups: readonly string[]): Promise<Client> {
  const client = new Client(httpTransport(await loadKubeconfig({ path: await plane.kubeconfigFor(user, groups) })));
  stack.defer(() => client.close());
  return client;
}

/** The parts without an extension, composed in this process: what they do is up to the server alone. */
beforeAll(async () => {
  plane = stack.use(await startControlPlane());
  admin = new Client(httpTransport(plane.admin));
  stack.defer(() => admin.close());
  const kvm = await kvmOfTests();
  const { minor } = plane.programs;
  const useEmulation = !kvm.isUsable;
  const wanted = { ...installation(useEmulation), asking: [], instancetypes: [] };
  const objects = fitting(wanted, minor, await readExisting(admin));
  await applyInstallation(admin, objects, { useEmulation, minor, timeoutMs: 60_000 });
  const log = memoryLog();
  const home = await mkdtemp('/tmp/vireo-thin-');
  const layout = nodeLayout(home, process.getuid?.() === 0);
  stack.defer(async () => {
    await killEverything(layout);
    for (const directory of [home, layout.run]) await rm(directory, { recursive: true, force: true });
  });
  const stop = new AbortController();
  const controllers = startControllers({ client: admin, log }, stop.signal);
  const node = await startNode(
    {
      home,
      name: NODE,
      client: await clientOf(nodeUser(NODE), [NODE_GROUP]),
      kubelet: await clientOf(kubeletUser(NODE), [KUBELET_GROUP]),
      kvm,
      log,
      hypervisor: startHypervisor(home, log),
    },
    stop.signal,
  );
  stack.defer(async () => {
    stop.abort();
    await Promise.all([controllers.ended, node.ended]);
    if (process.env.VIREO_CLUSTER_DEBUG) console.log(log.entries.filter(({ level }) => level !== 'debug'));
  });
});
afterAll(() => stack.disposeAsync());

const template = {
  metadata: { labels: { app: 'thin' } },
  spec: {
    terminationGracePeriodSeconds: 0,
    domain: { memory: { guest: '32Mi' }, devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] } },
    volumes: [{ name: 'root', containerDisk: { image: 'vireo/boot-sector' } }],
  },
};

const running = async (): Promise<Persisted<VirtualMachineInstance>[]> =>
  (await admin.of(VirtualMachineInstance).list(at)).items.filter(({ status }) => status?.phase === 'Running');

describe('a real Kubernetes', () => {
  it('serves all our kinds, and finds their schemas structural', async () => {
    const { items } = await admin.of(CustomResourceDefinition).list();
    for (const definition of items) {
      expect([definition.metadata.name, isConditionTrue(definition, 'Established')]).toEqual([
        definition.metadata.name,
        true,
      ]);
      expect(isConditionTrue(definition, 'NonStructuralSchema')).toBe(false);
    }
  });

  it('sees the node as Ready', async () => {
    await vi.waitFor(async () => expect(isConditionTrue(await admin.of(Node).get(NODE), 'Ready')).toBe(true), {
      timeout: 60_000,
    });
  });

  it('schedules the launcher, and the guest runs', async () => {
    await admin.of(VirtualMachineInstance).create({ metadata: { name: 'one', ...at }, spec: template.spec } as never);
    await vi.waitFor(async () => expect(await running()).toHaveLength(1), { timeout: 120_000, interval: 500 });
    const { items } = await admin.of(Pod).list({ ...at, labelSelector: LAUNCHER_SELECTOR });
    expect(items.map(({ spec, status }) => [spec?.nodeName, status?.phase])).toEqual([[NODE, 'Running']]);
    await admin.of(VirtualMachineInstance).delete('one', at);
    await vi.waitFor(async () => expect((await admin.of(Pod).list(at)).items).toEqual([]), { timeout: 60_000 });
  });

  it('scales a replica set from 0 to 3, to 1 and to 0', async () => {
    const sets = admin.of(VirtualMachineInstanceReplicaSet);
    const spec = { replicas: 0, selector: { matchLabels: { app: 'thin' } }, template };
    await sets.create({ metadata: { name: 'set', ...at }, spec } as never);
    for (const replicas of [3, 1, 0]) {
      await sets.patch('set', { spec: { replicas } }, { ...at, type: 'merge' });
      await vi.waitFor(
        async () => {
          expect(await running()).toHaveLength(replicas);
          expect((await admin.of(VirtualMachineInstance).list(at)).items).toHaveLength(replicas);
        },
        { timeout: 120_000, interval: 500 },
      );
    }
  });
});
