import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, httpTransport } from '@vireo/kube';
import { kvmOfTests } from '@vireo/node/testing/kvm.ts';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { ClusterFixture } from '../e2e/cluster/fixture.ts';
import { type Role, startRole } from '../e2e/cluster/role.ts';
import { kubectlFor } from '../e2e/kubectl.ts';
import { splitWords } from '../e2e/splitWords.ts';
import { runVireo } from '../e2e/vireo.ts';
import { GUESTS } from '../e2e/vms/guests.ts';
import { end, processesWith } from '../e2e/vms/leftovers.ts';
import { type ControlPlane, freePort, startControlPlane } from './controlPlane.ts';

/** A real control plane with Vireo on it: `install`, two controllers, two extensions and nodes, all of them processes. */
export interface RealCluster extends ClusterFixture {
  readonly plane: ControlPlane;
  readonly admin: Client;
  /** Names of the nodes. */
  readonly nodes: readonly string[];
}

/** An instance that is started again where it was. */
interface Instance {
  role: Role;
  start(): Promise<Role>;
}

const LEADER_ELECTION = [
  ...['--leader-elect-lease-duration', '4s'],
  ...['--leader-elect-renew-deadline', '3s'],
  ...['--leader-elect-retry-period', '500ms'],
];

/** Starts all of it before the tests of this file, and ends it after them. */
export function useRealCluster({ nodes = 1 } = {}): () => RealCluster {
  let cluster: RealCluster | undefined;
  const stack = new AsyncDisposableStack();
  beforeAll(async () => {
    const plane = stack.use(await startControlPlane());
    cluster = await startRoles(plane, nodes, stack);
  });
  afterAll(async () => {
    if (process.env.VIREO_CLUSTER_DEBUG) console.log(await cluster?.plane.output());
    await stack.disposeAsync();
  });
  return () => {
    if (!cluster) throw new Error('the cluster runs only while tests do');
    return cluster;
  };
}

async function startRoles(plane: ControlPlane, nodeCount: number, stack: AsyncDisposableStack): Promise<RealCluster> {
  const { directory, kubeconfig, programs } = plane;
  const kubectl = kubectlFor(kubeconfig, join(directory, 'kubectl-cache'));
  const vireo = async (command: string): Promise<string> => {
    const { output, code } = await runVireo([...splitWords(command), '--kubeconfig', kubeconfig]);
    return `${output.trimEnd()}${code === 0 ? '' : `\nexit code ${code}`}`;
  };
  const kvm = await kvmOfTests();
  const options = [
    ...(programs.minor < 30 ? ['--allow-old-server'] : []),
    ...(kvm.isUsable ? [] : ['--use-emulation']),
  ];
  expect(await vireo(`install ${options.join(' ')}`)).toContain('is installed on Kubernetes');

  const started: Instance[] = [];
  // Guests outlive their node's agent, and belong to its home: all homes are below the directory.
  stack.defer(async () => {
    await Promise.all(started.map(({ role }) => role.end('SIGTERM')));
    if (process.env.VIREO_CLUSTER_DEBUG)
      for (const { role } of started) console.log(`--- ${role.name}\n${role.output()}`);
    for (const { pid } of await processesWith(join(directory, 'homes'))) end(pid, 'SIGKILL');
  });
  const home = (name: string): string => join(directory, 'homes', name);
  const begin = async (name: string, args: readonly string[], ready: RegExp): Promise<Instance> => {
    const start = () => startRole([...args, '--kubeconfig', kubeconfig, '--home', home(name)], ready);
    const instance = { role: await start(), start };
    started.push(instance);
    return instance;
  };
  const ports = [await freePort(), await freePort()];
  const uploadUrl = new URL(plane.url);
  uploadUrl.port = String(ports[0]);
  const controllers = await Promise.all(
    ['controllers-1', 'controllers-2'].map((name) =>
      begin(name, ['controllers', '--upload-url', uploadUrl.origin, ...LEADER_ELECTION], /^(\S+) is ready to lead/m),
    ),
  );
  const extensions = await Promise.all(
    ports.map((port) =>
      begin(`extension-${port}`, ['extension', '--port', String(port)], /listens on port \d+ as instance (\S+)\./),
    ),
  );
  const names = Array.from({ length: nodeCount }, (_, index) => `real-${index + 1}`);
  for (const name of names) {
    await putGuests(home(name));
    await begin(name, ['node', '--node-name', name, '--port', '0'], /The node (\S+) is ready/);
  }
  await kubectl.do(`wait kubevirt/kubevirt -n kubevirt --for=condition=Available --timeout=60s`);
  await kubectl.do(`wait ${names.map((name) => `node/${name}`).join(' ')} --for=condition=Ready --timeout=60s`);

  const replace = async (instance: Instance): Promise<void> => {
    await instance.role.end('SIGKILL');
    instance.role = await instance.start();
  };
  const holder = (): Promise<string> =>
    kubectl('get lease virt-controller -n kubevirt -o jsonpath={.spec.holderIdentity}');
  const admin = new Client(httpTransport(plane.admin));
  stack.defer(() => admin.close());
  return {
    plane,
    admin,
    nodes: names,
    kubeconfig,
    kubectl,
    minor: programs.minor,
    directOptions: '--insecure',
    directory,
    vireo,
    async killLeader() {
      const name = await holder();
      const leader = controllers.find(({ role }) => role.name === name);
      if (!leader) throw new Error(`nobody here leads: ${name}`);
      await replace(leader);
      await vi.waitFor(async () => expect(await holder()).not.toBe(name), { timeout: 60_000, interval: 200 });
    },
    async killExtension() {
      const [first, ...others] = extensions.splice(0);
      if (!first) throw new Error('no extension runs');
      extensions.push(...others, first);
      await replace(first);
    },
  };
}

async function putGuests(home: string): Promise<void> {
  for (const [name, disk] of Object.entries(GUESTS)) {
    const directory = join(home, 'images/test', name);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'disk.raw'), disk);
  }
}
