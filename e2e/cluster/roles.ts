import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, httpTransport, loadKubeconfig } from '@vireo/kube';
import { kubectlFor } from '../kubectl.ts';
import { splitWords } from '../splitWords.ts';
import { typeVireo } from '../vireo.ts';
import { GUESTS } from '../vms/guests.ts';
import { end, processesWith, removeNetworkOf, socketsOf } from '../vms/leftovers.ts';
import type { ClusterFixture } from './fixture.ts';
import { killsInRounds } from './kills.ts';
import { type Role, startRole } from './role.ts';
import { shareVolumes } from './sharedClass.ts';
import { type Instance, whenWhole } from './whole.ts';

/** A node, with the home that a next agent goes on with. */
export interface NodeRole extends Role {
  readonly home: string;
}

/** The processes of a cluster, whoever its API server is. */
export interface ClusterRoles extends ClusterFixture {
  readonly controllers: readonly Instance[];
  readonly extensions: readonly Instance[];
  readonly nodes: NodeRole[];
  /** Starts the agent of a node again that has ended. */
  restartNode(node: NodeRole): Promise<NodeRole>;
  /** What is run from now on is run by this `vireo`. */
  use(command: string): void;
  /** Ends all of it; nothing stays. */
  close(): Promise<void>;
}

/** What differs between one Kubernetes and another. */
export interface ClusterRolesOptions {
  readonly kubeconfig: string;
  /** Where the homes of the roles are made. */
  readonly directory: string;
  /** Where disks are uploaded to and exports are fetched from. */
  readonly uploadUrl: string;
  /** The ports of the extensions, one each; default: two free ones. */
  readonly extensionPorts?: readonly number[];
  /** At which the server reaches the nodes; default: one of the host's. */
  readonly nodeAddress?: string;
  /** The `vireo` of another checkout; default: of this one. */
  readonly command?: string;
}

/** Short, so that a test does not wait long for what others would take over. */
const PERIODS = ['lease-duration=3s', 'renew-deadline=2s', 'retry-period=300ms'].map(
  (each) => `--leader-elect-${each}`,
);
const NODES = ['node-1', 'node-2', 'node-3'];
const NODE_READY = /^The node (\S+) is ready/m;
/** The first version that `vireo install` accepts by itself. */
const SUPPORTED_MINOR = 30;

/**
 * Installs Vireo on a server and starts two controllers, two extensions and three nodes, each a process of its own;
 * resolves when VMs can be made.
 */
export async function startRoles(options: ClusterRolesOptions): Promise<ClusterRoles> {
  const { kubeconfig, directory, uploadUrl, extensionPorts = [0, 0], nodeAddress } = options;
  let { command } = options;
  const vireo = (line: string): Promise<string> => typeVireo(line, kubeconfig, command);
  const must = async (line: string): Promise<string> => {
    const output = await vireo(line);
    if (/\nexit code \d+$/.test(output)) throw new Error(`vireo ${line}: ${output}`);
    return output;
  };
  const kubectl = kubectlFor(kubeconfig, join(directory, 'kubectl-cache'));
  const client = new Client(httpTransport(await loadKubeconfig({ path: kubeconfig })));
  const version = (await client.call({ method: 'GET', path: '/version' })) as { minor: string };
  const minor = Number.parseInt(version.minor, 10);
  const controllers: Instance[] = [];
  const extensions: Instance[] = [];
  const roles: ClusterRoles = {
    kubeconfig,
    kubectl,
    client,
    directory,
    minor,
    installOptions: ['--use-emulation', ...(minor < SUPPORTED_MINOR ? ['--allow-old-server'] : [])].join(' '),
    uploadUrl,
    vireo,
    controllers,
    extensions,
    nodes: [],
    inTheMiddle: killsInRounds(() => whenWhole(client, controllers, extensions)),
    async restartNode({ name, home }) {
      const node = await startNode(home, name, ['node']);
      roles.nodes[roles.nodes.findIndex((each) => each.name === name)] = node;
      return node;
    },
    use(other) {
      command = other;
    },
    async close() {
      const all = [...roles.nodes, ...[...extensions, ...controllers].map(({ role }) => role)];
      if (process.env.VIREO_CLUSTER_DEBUG) for (const role of all) console.log(`--- ${role.name}\n${role.output()}`);
      for (const role of all) role.signal('SIGCONT');
      await Promise.all(all.map((role) => role.end('SIGKILL')));
      // Guests and libvirtd outlive the agent of their node.
      for (const { pid } of await processesWith(directory)) if (pid !== process.pid) end(pid, 'SIGKILL');
      for (const { home } of roles.nodes) {
        await removeNetworkOf(home);
        await rm(socketsOf(home), { recursive: true, force: true });
      }
      await client.close();
    },
  };
  try {
    await must(`install ${roles.installOptions}`);
    await Promise.all([
      ...['controllers-1', 'controllers-2'].map((name) =>
        begin(controllers, name, ['controllers', '--upload-url', uploadUrl, ...PERIODS], /^(\S+) is ready to lead\.$/m),
      ),
      ...extensionPorts.map((port, index) =>
        begin(
          extensions,
          `extension-${index + 1}`,
          ['extension', '--port', String(port)],
          /^The extension listens on port \d+ as instance (\S+)\.$/m,
        ),
      ),
      ...NODES.map(joinNode),
    ]);
    await must(`install ${roles.installOptions} --wait`);
    await shareVolumes(kubectl, await newHome('shared'), NODES);
    return roles;
  } catch (error) {
    await roles.close();
    throw error;
  }

  async function begin(all: Instance[], name: string, words: readonly string[], ready: RegExp): Promise<void> {
    let count = 0;
    // Each has a home of its own, so that it is another instance than the one before.
    const start = async (): Promise<Role> => {
      const home = await newHome(`${name}-${++count}`);
      return startRole([...words, '--kubeconfig', kubeconfig, '--home', home], ready, { command });
    };
    all.push({ role: await start(), start });
  }

  /** By the two commands of an administrator: one prints a line, the other one is that line. */
  async function joinNode(name: string): Promise<void> {
    const home = await newHome(name);
    await bringGuests(home);
    const [, , ...joining] = splitWords(await must(`token create --node ${name}`));
    roles.nodes.push(await startNode(home, name, ['join', ...joining]));
  }

  async function newHome(name: string): Promise<string> {
    const home = join(directory, name);
    await mkdir(home, { recursive: true, mode: 0o700 });
    return home;
  }

  async function startNode(home: string, name: string, words: readonly string[]): Promise<NodeRole> {
    const address = nodeAddress ? ['--address', nodeAddress] : [];
    const args = [...words, '--home', home, '--node-name', name, ...address, '--port', '0'];
    return Object.assign(await startRole(args, NODE_READY, { command }), { home });
  }
}

/** The images of tests, which no registry has. */
async function bringGuests(home: string): Promise<void> {
  for (const [name, disk] of Object.entries(GUESTS)) {
    const directory = join(home, 'images/test', name);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'disk.raw'), disk);
  }
}
