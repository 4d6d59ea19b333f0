import type { PluginLine } from './plugins.ts';

/** What is told of one hypervisor. */
export interface HypervisorLine {
  readonly name: string;
  readonly aliases: readonly string[];
  /** Package that brought it; missing for those that come with Vireo. */
  readonly plugin?: string;
  /** Whether the running server has it; missing for those that come with Vireo, and where no server runs. */
  readonly loaded?: boolean | undefined;
  readonly devices: readonly string[];
  /** Whether new VMs of the cluster run by it; missing where no server runs. */
  readonly active?: boolean;
  readonly usable: boolean;
  readonly reason?: string;
}

/** What is told of nodes that are alike. */
export interface NodesLine {
  readonly hypervisor: string;
  readonly ready: boolean;
  /** Why not. */
  readonly message?: string;
  readonly nodes: readonly string[];
}

export interface HypervisorList {
  readonly hypervisors: readonly HypervisorLine[];
  /** Missing where no server runs. */
  readonly nodes?: readonly NodesLine[];
  /** Packages of the list, and of the running server. */
  readonly plugins: readonly PluginLine[];
  /** Why it is not known which one is active. */
  readonly unknown?: string;
}

const PLUGIN_HEADINGS = ['PLUG-IN', 'LISTED', 'LOADED', 'PROVIDES', 'REASON'];
const NODE_HEADINGS = ['NODES', 'HYPERVISOR', 'READY', 'REASON'];
/** More are counted. */
const MAX_NODES = 3;
const HEADINGS = ['NAME', 'ACTIVE', 'USABLE HERE', 'FROM', 'DEVICES', 'ALIASES'];

export function hypervisorsText({ hypervisors, nodes, plugins, unknown }: HypervisorList): string {
  const rows = hypervisors.map((line) => [
    line.name,
    line.active === undefined ? '?' : line.active ? 'yes' : line.loaded === false ? 'not loaded' : '',
    line.usable ? 'yes' : 'no',
    line.plugin ?? 'vireo',
    line.devices.join(', ') || '-',
    line.aliases.join(', '),
  ]);
  const reasons = hypervisors.flatMap(({ name, reason }) => (reason ? [`${name}: ${reason}`] : []));
  return [
    ...table([HEADINGS, ...rows]),
    ...(nodes && nodes.length > 0 ? ['', ...table([NODE_HEADINGS, ...nodes.map(nodesRow)])] : []),
    ...(reasons.length > 0 ? ['', 'Not usable here:', ...reasons.map((text) => `  ${text}`)] : []),
    ...(plugins.length > 0 ? ['', ...table([PLUGIN_HEADINGS, ...plugins.map(pluginRow)])] : []),
    ...(unknown ? ['', `The active hypervisor is unknown: ${unknown}`] : []),
  ].join('\n');
}

const pluginRow = ({ plugin, listed, loaded, hypervisors, reason = '' }: PluginLine): string[] => [
  plugin,
  listed ? 'yes' : 'no',
  loaded === undefined ? '-' : loaded ? 'yes' : 'no',
  hypervisors.join(', ') || '-',
  reason,
];

const nodesRow = ({ hypervisor, ready, message = '', nodes }: NodesLine): string[] => [
  nodes.length > MAX_NODES
    ? `${nodes.slice(0, MAX_NODES).join(', ')} and ${nodes.length - MAX_NODES} more`
    : nodes.join(', '),
  hypervisor,
  ready ? 'yes' : 'no',
  message,
];

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
