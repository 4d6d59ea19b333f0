import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { examples } from '../../examples.ts';
import { homeOption, outputOption } from '../../options.ts';
import { readServerRecord } from '../../serverRecord.ts';
import { pluginLines } from './plugins.ts';
import { type HypervisorList, hypervisorsText, type NodesLine } from './text.ts';
import { type HostProbes, usableHere } from './usable.ts';

/** `vireo hypervisors`: what can run VMs. */
export function addHypervisorsCommand(program: Command): void {
  program
    .command('hypervisors')
    .summary('list hypervisors')
    .description(
      'Lists the available hypervisors, the nodes on which each of them is active, and whether this host can run it.\n' +
        'If not, prints the reason. For plug-ins, shows which are listed in the home, which the running server has\n' +
        'loaded, and why the others are not loaded.',
    )
    .addOption(homeOption())
    .addOption(outputOption())
    .addHelpText('after', examples(['vireo hypervisors', 'as text'], ['vireo hypervisors -o json', 'as JSON']))
    .action(printHypervisors);
}

async function printHypervisors({ home, output }: { home: string; output: string }): Promise<void> {
  const list = await findHypervisors(home, thisHost);
  console.log(output === 'json' ? JSON.stringify(list, undefined, 2) : hypervisorsText(list));
}

/** What is known of each hypervisor: registered, active, usable. */
export async function findHypervisors(home: string, host: HostProbes): Promise<HypervisorList> {
  // Loaded here, so that the other commands start without them.
  const { knownHypervisors } = await import('@vireo/hypervisor');
  const { loadPlugins } = await import('@vireo/hypervisor/plugins/index.ts');
  const reports = await loadPlugins(home);
  const pluginOf = new Map(reports.flatMap(({ plugin, hypervisors }) => hypervisors.map((name) => [name, plugin])));
  const record = readServerRecord(home);
  const plugins = pluginLines(reports, record && (record.plugins ?? []));
  const loaded = new Map(plugins.map((line) => [line.plugin, line.loaded]));
  const { active, nodes, unknown } = await askServer(home);
  const hypervisors = await Promise.all(
    knownHypervisors().map(async (hypervisor) => {
      const { name, aliases = [], runtime } = hypervisor;
      const plugin = pluginOf.get(name);
      return {
        name,
        aliases,
        ...(plugin && { plugin }),
        devices: (runtime?.deviceRequests ?? []).map(({ device }) => device),
        ...(plugin && loaded.get(plugin) !== undefined && { loaded: loaded.get(plugin) }),
        ...(active !== undefined && { active: active === name }),
        ...(await usableHere(hypervisor, host)),
      };
    }),
  );
  return { hypervisors, ...(nodes && { nodes }), plugins, ...(unknown && { unknown }) };
}

/** What really runs new VMs, which with emulation is another than the settings name; and on which nodes. */
async function askServer(home: string): Promise<{ active?: string; nodes?: NodesLine[]; unknown?: string }> {
  if (!readServerRecord(home)) return { unknown: `no server is running on ${home}` };
  const { KubeVirt } = await import('@vireo/api/kinds/kubevirt/kubeVirt.ts');
  const { connected } = await import('../vms/connection.ts');
  try {
    return await connected({ kubeconfig: join(home, 'kubeconfig'), requestTimeout: 5_000 }, async ({ client }) => {
      const [kubevirt] = (await client.of(KubeVirt).list({ limit: 1 })).items;
      const nodes = (kubevirt?.status?.hypervisors ?? []).map(({ name, ready, message, nodes: names }) => ({
        hypervisor: name,
        ready,
        ...(message !== undefined && { message }),
        nodes: names,
      }));
      // The server's own word: it may have loaded what is not in the list any more, or not what is.
      return { active: kubevirt?.status?.activeHypervisor ?? '', nodes };
    });
  } catch (error) {
    return { unknown: error instanceof Error ? error.message : String(error) };
  }
}

const thisHost: HostProbes = {
  kvm: async () => (await import('@vireo/node/host/probeKvm.ts')).probeKvm(),
  emulator: async () => {
    const name = process.arch === 'arm64' ? 'qemu-system-aarch64' : 'qemu-system-x86_64';
    for (const directory of (process.env.PATH ?? '').split(':').filter(Boolean)) {
      const path = join(directory, name);
      if (!(await problemOf(path, constants.X_OK))) return path;
    }
    return undefined;
  },
  async deviceProblem(path) {
    const code = await problemOf(path, constants.R_OK | constants.W_OK);
    if (!code) return undefined;
    return code === 'ENOENT' ? `this host has no ${path}` : `this user cannot access ${path} (${code})`;
  },
};

const problemOf = (path: string, mode: number): Promise<string | undefined> =>
  access(path, mode).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code ?? 'EIO',
  );
