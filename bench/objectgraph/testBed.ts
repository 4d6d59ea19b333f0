import { ConfigMap, Pod, Secret } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { install } from '@vireo/extension/testing/installation.ts';
import type { Client } from '@vireo/kube';

const NAMESPACE = 'default';
const BATCH_SIZE = 64;

/** A server with VMs in one namespace, which can be asked for graphs. */
export interface TestBed extends AsyncDisposable {
  /** Milliseconds that one graph of the VM with so many dependencies takes, the mean of several. */
  ask(dependencies: number, questions: number): Promise<number>;
}

/** `others`: how many VMs there are besides, each with a launcher pod. */
export async function createTestBed(others: number, dependencies: readonly number[]): Promise<TestBed> {
  const { server, close } = await install();
  const { client } = server;
  try {
    await fill(client, others, dependencies);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async ask(count, questions) {
      const path = `/apis/subresources.kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachines/needs-${count}/objectgraph`;
      const startedAt = performance.now();
      for (let i = 0; i < questions; i++) await client.call({ method: 'GET', path });
      return (performance.now() - startedAt) / questions;
    },
    [Symbol.asyncDispose]: close,
  };
}

async function fill(client: Client, others: number, dependencies: readonly number[]): Promise<void> {
  for (const count of dependencies) await createVm(client, count);
  await inBatches(others, async (i) => {
    await client.of(VirtualMachine).create(vm(`other-${i}`, []));
    await client.of(Pod).create(launcher(`other-${i}`));
  });
}

/** One that needs so many objects, all of which are there. */
async function createVm(client: Client, count: number): Promise<void> {
  const volumes = Array.from({ length: count }, (_, i) => {
    const name = `needed-${count}-${i}`;
    return { name, ...(i % 2 === 0 ? { configMap: { name } } : { secret: { secretName: name } }) };
  });
  await inBatches(count, async (i) => {
    await client.of(i % 2 === 0 ? ConfigMap : Secret).create({
      metadata: { name: `needed-${count}-${i}`, namespace: NAMESPACE },
    });
  });
  await client.of(VirtualMachine).create(vm(`needs-${count}`, volumes));
}

const vm = (name: string, volumes: { name: string }[]) => ({
  metadata: { name, namespace: NAMESPACE },
  spec: {
    runStrategy: 'Halted',
    template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } }, volumes } },
  },
});

/** Held by a gate: nothing is to schedule it while something else is measured. */
const launcher = (vmName: string) => ({
  metadata: {
    name: `launcher-${vmName}`,
    namespace: NAMESPACE,
    labels: { 'kubevirt.io': 'virt-launcher' },
    annotations: { 'kubevirt.io/domain': vmName },
  },
  spec: { containers: [{ name: 'compute', image: 'none' }], schedulingGates: [{ name: 'bench.vireo/held' }] },
});

async function inBatches(count: number, create: (index: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < count; first += BATCH_SIZE) {
    const size = Math.min(BATCH_SIZE, count - first);
    await Promise.all(Array.from({ length: size }, (_, i) => create(first + i)));
  }
}
