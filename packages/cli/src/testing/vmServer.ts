import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { unixSocket } from '@vireo/extension/streams/nodeConnections.ts';
import { type Installation, install } from '@vireo/extension/testing/installation.ts';
import { type NodeStandIn, startNodeStandIn } from '@vireo/extension/testing/nodeStandIn.ts';
import { Client } from '@vireo/kube';
import { entry, type Finished, isolatedEnvironment, runVireo } from './vireoProcess.ts';

/** A command that stays, as a script holds it. */
export interface Staying {
  readonly child: ChildProcessWithoutNullStreams;
  /** Its standard output so far. */
  shown(): string;
  /** Its standard error so far. */
  notices(): string;
}

/** What else an instance is to have. */
export interface MoreOfInstance {
  readonly labels?: Readonly<Record<string, string>>;
  /** In place of those that an instance has by itself. */
  readonly networks?: VirtualMachineInstance['spec']['networks'];
  readonly interfaces?: VirtualMachineInstance['spec']['domain']['devices']['interfaces'];
  readonly autoattachVSOCK?: boolean;
  readonly status?: Partial<NonNullable<VirtualMachineInstance['status']>>;
}

/** The real server and extension, for the real command. */
export interface VmServer {
  readonly node: NodeStandIn;
  readonly installation: Installation;
  readonly kubeconfig: string;
  run(...args: string[]): Promise<Finished>;
  spawn(args: readonly string[], env?: Readonly<Record<string, string>>): Staying;
  /** A VM, as the user made it. */
  vm(name: string, runStrategy: string): Promise<VirtualMachine>;
  /** An instance that runs, as far as the server knows; `conditions` are of types that are true. Returns its UID. */
  instance(name: string, conditions?: readonly string[], more?: MoreOfInstance): Promise<string>;
  /** The guest agent of an instance reports. */
  connectAgent(name: string): Promise<void>;
  close(): Promise<void>;
}

const spec = { domain: { devices: {}, memory: { guest: '64Mi' } } };

/** Only the node is a stand-in: a real one needs libvirt and a guest, and is driven by the tests of packages/node. */
export async function startVmServer(): Promise<VmServer> {
  const node = await startNodeStandIn();
  const installation = await install({ nodes: () => unixSocket(node.socketPath) });
  const kubeconfig = join(installation.server.home, 'kubeconfig');
  const children: ChildProcessWithoutNullStreams[] = [];
  const handler = { username: 'system:serviceaccount:kubevirt:kubevirt-handler', groups: ['system:masters'] };
  const instances = new Client(installation.server.inProcess(handler)).of(VirtualMachineInstance);
  return {
    node,
    installation,
    kubeconfig,
    run: (...args) => runVireo(args, { KUBECONFIG: kubeconfig }),
    spawn(args, env = {}) {
      const child = spawn(process.execPath, [entry, ...args], {
        env: isolatedEnvironment({ KUBECONFIG: kubeconfig, ...env }),
      });
      children.push(child);
      let shown = '';
      let notices = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        shown += chunk;
      });
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        notices += chunk;
      });
      return { child, shown: () => shown, notices: () => notices };
    },
    vm: (name, runStrategy) =>
      installation.server.client
        .of(VirtualMachine)
        .create({ metadata: { name, namespace: 'default' }, spec: { runStrategy, template: { spec } } }),
    async instance(name, conditions = [], { labels, networks, interfaces, autoattachVSOCK, status: more } = {}) {
      const devices = { ...(interfaces && { interfaces }), ...(autoattachVSOCK && { autoattachVSOCK }) };
      const { metadata } = await instances.create({
        metadata: { name, namespace: 'default', ...(labels && { labels: { ...labels } }) },
        spec: { ...spec, domain: { ...spec.domain, devices }, ...(networks && { networks }) },
      });
      const status = {
        phase: 'Running',
        nodeName: 'n1',
        interfaces: [{ name: 'default' }],
        conditions: conditions.map((type) => ({ type, status: 'True' })),
        ...more,
      };
      await instances.patch(name, { status }, { namespace: 'default', type: 'merge' });
      return metadata.uid;
    },
    async connectAgent(name) {
      const status = { conditions: [{ type: 'AgentConnected', status: 'True' }] };
      await instances.patch(name, { status }, { namespace: 'default', type: 'merge' });
    },
    async close() {
      for (const child of children) child.kill();
      await installation.close();
      await node.close();
    },
  };
}
