import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { splitWords } from '../splitWords.ts';
import { runVireo } from '../vireo.ts';
import { GUESTS } from '../vms/guests.ts';
import { end, processesWith } from '../vms/leftovers.ts';
import type { ClusterFixture } from './fixture.ts';
import { type Role, startRole } from './role.ts';

/** A node, with the home that a next agent goes on with. */
export interface NodeRole extends Role {
  readonly home: string;
}

/** The processes of a cluster, whoever its API server is. */
export interface ClusterRoles extends ClusterFixture {
  readonly controllers: Role[];
  readonly extensions: Role[];
  readonly nodes: NodeRole[];
  /** Adds one more of a role. */
  addControllers(): Promise<Role>;
  addExtension(): Promise<Role>;
  addNode(name: string): Promise<NodeRole>;
  /** Starts the agent of a node again that has ended. */
  restartNode(node: NodeRole): Promise<NodeRole>;
  /** Ends all of it; nothing stays. */
  close(): Promise<void>;
}

export interface ClusterRolesOptions {
  readonly kubeconfig: string;
  /** Where the homes of the roles are made. */
  readonly directory: string;
  readonly controllers?: number;
  readonly extensions?: number;
  readonly nodes?: number;
  /** Where disks are uploaded to and exports are fetched from. */
  readonly uploadUrl: string;
}

/** For a new leader, on a busy host. */
const PATIENT = { timeout: 60_000, interval: 200 };
/** Short, so that a test does not wait long for what others would take over. */
const PERIODS = ['lease-duration=3s', 'renew-deadline=2s', 'retry-period=300ms'].map(
  (each) => `--leader-elect-${each}`,
);

/** Installs Vireo on a server and starts its roles; resolves when VMs can be made. */
export async function startRoles(options: ClusterRolesOptions): Promise<ClusterRoles> {
  const { kubeconfig, directory, controllers = 2, extensions = 2, nodes = 3 } = options;
  const vireo = async (command: string): Promise<string> => {
    const { output, code } = await runVireo([...splitWords(command), '--kubeconfig', kubeconfig]);
    return `${output.trimEnd()}${code === 0 ? '' : `\nexit code ${code}`}`;
  };
  const must = async (command: string): Promise<string> => {
    const output = await vireo(command);
    if (/\nexit code \d+$/.test(output)) throw new Error(`vireo ${command}: ${output}`);
    return output;
  };
  let extensionCount = 0;
  const kubectl = kubectlFor(kubeconfig, join(directory, 'kubectl-cache'));
  const version = await kubectl.json<{ serverVersion: { minor: string } }>('version -o json');
  const roles: ClusterRoles = {
    kubeconfig,
    kubectl,
    directory,
    minor: Number.parseInt(version.serverVersion.minor, 10),
    vireo,
    controllers: [],
    extensions: [],
    nodes: [],
    async addControllers() {
      const args = ['controllers', '--kubeconfig', kubeconfig, '--upload-url', options.uploadUrl, ...PERIODS];
      return added(roles.controllers, await startRole(args, /^(\S+) is ready to lead\.$/m));
    },
    async addExtension() {
      const home = await newHome(`extension-${++extensionCount}`);
      const args = ['extension', '--kubeconfig', kubeconfig, '--home', home, '--port', '0'];
      return added(roles.extensions, await startRole(args, /^The extension listens on port \d+ as instance (\S+)\.$/m));
    },
    async addNode(name) {
      const home = await newHome(name);
      await bringGuests(home);
      const [, , ...joining] = splitWords(await must(`token create --node ${name}`));
      return added(roles.nodes, await startNode(home, name, ['join', ...joining]));
    },
    async restartNode({ name, home }) {
      const node = await startNode(home, name, ['node']);
      roles.nodes[roles.nodes.findIndex((each) => each.name === name)] = node;
      return node;
    },
    async killLeader() {
      const holder = async (): Promise<string> =>
        (await kubectl.run('get lease virt-controller -n kubevirt -o jsonpath={.spec.holderIdentity}')).stdout;
      // Whoever was killed last may still be named.
      const leader = await vi.waitFor(async () => {
        const found = await holder();
        expect(roles.controllers.map(({ name }) => name)).toContain(found);
        return found;
      }, PATIENT);
      await replace(roles.controllers, (role) => role.name === leader, roles.addControllers);
    },
    killExtension: () => replace(roles.extensions, () => true, roles.addExtension),
    async close() {
      const all = [...roles.nodes, ...roles.extensions, ...roles.controllers];
      for (const role of all) role.signal('SIGCONT');
      await Promise.all(all.map((role) => role.end('SIGKILL')));
      for (const { pid } of await processesWith(directory)) if (pid !== process.pid) end(pid, 'SIGKILL');
    },
  };
  try {
    await must('install --use-emulation');
    await Promise.all([
      ...Array.from({ length: controllers }, () => roles.addControllers()),
      ...Array.from({ length: extensions }, () => roles.addExtension()),
    ]);
    await Promise.all(Array.from({ length: nodes }, (_, index) => roles.addNode(`node-${index + 1}`)));
    await must('install --use-emulation --wait');
    await shareVolumes(kubectl, await newHome('shared'));
    return roles;
  } catch (error) {
    await roles.close();
    throw error;
  }

  /** Kills the first that fits, and starts another in its place. */
  async function replace(all: Role[], fits: (role: Role) => boolean, add: () => Promise<Role>): Promise<void> {
    const index = all.findIndex(fits);
    const [role] = index >= 0 ? all.splice(index, 1) : [];
    if (!role) throw new Error('there is nobody to kill');
    await role.end('SIGKILL');
    await add();
  }

  async function newHome(name: string): Promise<string> {
    const home = join(directory, name);
    await mkdir(home, { recursive: true, mode: 0o700 });
    return home;
  }

  async function startNode(home: string, name: string, words: readonly string[]): Promise<NodeRole> {
    const args = [...words, '--home', home, '--node-name', name, '--address', '127.0.0.1', '--port', '0'];
    return Object.assign(await startRole(args, /^The node (\S+) is ready/m), { home });
  }
}

/** Has claims that name no class be on every node: a disc is not always uploaded to the node of its VM. */
async function shareVolumes(kubectl: Kubectl, sharedDirectory: string): Promise<void> {
  // The users of guests pass through to their disks.
  await chmod(sharedDirectory, 0o711);
  const isDefault = (is: boolean) => ({ 'storageclass.kubernetes.io/is-default-class': String(is) });
  const shared = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'shared', annotations: isDefault(true) },
    provisioner: 'vireo.io/shared',
    parameters: { directory: sharedDirectory },
    allowVolumeExpansion: true,
  };
  const patch = JSON.stringify({ metadata: { annotations: isDefault(false) } });
  await kubectl.do(`patch storageclass local --type=merge -p '${patch}'`);
  await kubectl.do('apply -f -', { input: JSON.stringify(shared) });
  await kubectl.until('get storageclass shared -o yaml', /shared\.vireo\.io\/status: ready on node-1, node-2, node-3/);
}

function added<T>(all: T[], one: T): T {
  all.push(one);
  return one;
}

/** The images of tests, which no registry has. */
async function bringGuests(home: string): Promise<void> {
  for (const [name, disk] of Object.entries(GUESTS)) {
    const directory = join(home, 'images/test', name);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'disk.raw'), disk);
  }
}
