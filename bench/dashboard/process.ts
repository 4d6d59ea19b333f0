import { setTimeout as sleep } from 'node:timers/promises';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Installation, install } from '@vireo/extension/testing/installation.ts';
import { Client } from '@vireo/kube';
import { serveTasks } from '../processes.ts';

const NAMESPACE = 'default';
const AT_ONCE = 32;
const nameOf = (index: number): string => `machine-${String(index).padStart(5, '0')}`;

let installation: Installation | undefined;
const current = (): Installation => {
  if (!installation) throw new Error('not started yet');
  return installation;
};

/** A server with VMs and instances that nobody runs: whoever looks at them must not notice. */
const tasks = {
  start: async ({ machines }: { machines: number }): Promise<{ kubeconfig: string }> => {
    installation = await install({ carrier: 'inProcess' });
    let next = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < machines) await createMachine(next++);
      }),
    );
    return { kubeconfig: installation.server.server.kubeconfig };
  },
  /** Changes where a machine runs; resolves with the time at which the server had acknowledged it. */
  move: async ({ index, node }: { index: number; node: string }): Promise<{ acknowledgedAtMs: number }> => {
    await setNode(index, node);
    return { acknowledgedAtMs: performance.timeOrigin + performance.now() };
  },
  /** Changes machines at random for a while, so many a second: where instances run, and in which state VMs are. */
  churn: async ({ machines, perSecond, seconds }: { machines: number; perSecond: number; seconds: number }) => {
    const until = performance.now() + seconds * 1_000;
    for (let change = 0; performance.now() < until; change++) {
      const index = Math.floor(Math.random() * machines);
      if (change % 2 === 0) await setNode(index, `node-${change % 7}`);
      else await setState(index, STATES[change % STATES.length] ?? '');
      await sleep(1_000 / perSecond);
    }
  },
  stop: (): Promise<void> => current().close(),
};

export type DashboardTasks = typeof tasks;

async function createMachine(index: number): Promise<void> {
  const { client } = current().server;
  const domain = { devices: {}, memory: { guest: '64Mi' } };
  const metadata = { name: nameOf(index), namespace: NAMESPACE, labels: { app: `app-${index % 20}` } };
  await client.of(VirtualMachine).create({ metadata, spec: { runStrategy: 'Manual', template: { spec: { domain } } } });
  await client.of(Vmi).create({ metadata, spec: { domain } });
  await setNode(index, `node-${index % 7}`);
}

async function setNode(index: number, nodeName: string): Promise<void> {
  await node()
    .of(Vmi)
    .patch(nameOf(index), { status: { phase: 'Running', nodeName } }, { namespace: NAMESPACE, type: 'merge' });
}

const STATES = ['Running', 'Paused', 'Migrating', 'Stopping', 'Starting'];

async function setState(index: number, printableStatus: string): Promise<void> {
  const { client } = current().server;
  await client.of(VirtualMachine).patch(nameOf(index), { status: { printableStatus } }, STATUS_OF_VM);
}

const STATUS_OF_VM = { namespace: NAMESPACE, type: 'merge', subresource: 'status' } as const;

/** The status of an instance is for the node to write: what others say of it is dropped. */
const node = (): Client => (component ??= new Client(current().server.inProcess(NODE)));
let component: Client | undefined;
const NODE = {
  username: 'system:serviceaccount:kubevirt:kubevirt-handler',
  groups: ['system:masters', 'system:authenticated'],
};

serveTasks(tasks);
