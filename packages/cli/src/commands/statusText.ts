import type { PluginReport } from '@vireo/hypervisor/plugins/load.ts';
import { formatBytes } from '../diskUse.ts';
import { type NodeState, networkText, type VmCount } from '../readiness.ts';
import { EMBEDDED_INSTANCE } from '../roles/instanceName.ts';
import type { JoinedNode } from '../serverRecord.ts';
import { shellWord } from './readyText.ts';
import { countOfVms, someOf } from './shutdownText.ts';
import type { CertificateStatus } from './status/certificates.ts';
import type { NodeStatus, RoleStatus } from './status/cluster.ts';
import { partsTable } from './status/clusterText.ts';

/** What `vireo status` tells about a home. */
export interface Status {
  readonly home: string;
  readonly running: boolean;
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly problems?: readonly string[];
  readonly pid?: number;
  /** Set where it is the node of another server's cluster. */
  readonly joined?: Pick<JoinedNode, 'name' | 'server'>;
  /** Whether what was stopped is such a node. */
  readonly isNode?: boolean;
  readonly port?: number | undefined;
  readonly version?: string;
  readonly startedAt?: string;
  readonly kubeconfig?: string;
  /** Whether it serves the API alone. */
  readonly apiOnly?: boolean;
  /** What became of the packages that bring hypervisors. */
  readonly plugins?: readonly PluginReport[];
  readonly node?: NodeState;
  readonly vms?: VmCount;
  /** Parts of the installation that are processes of their own. */
  readonly roles?: readonly RoleStatus[];
  readonly nodes?: readonly NodeStatus[];
  readonly certificates?: readonly CertificateStatus[];
  /** `namespace/name` of the guests whose processes run, whether the server does or not. */
  readonly guests: readonly string[];
  readonly libvirtdPid?: number | undefined;
  readonly diskBytes: number;
}

/** The status in words. */
export function statusText(found: Status): string {
  return found.running ? runningText(found) : stoppedText(found);
}

function stoppedText({ home, guests, libvirtdPid, isNode = false }: Status): string {
  const [what, start] = isNode ? ['node', 'node'] : ['server', 'up'];
  const flag = `--home ${shellWord(home)}`;
  if (guests.length > 0) {
    const [are, them] = guests.length === 1 ? ['is', 'it'] : ['are', 'them'];
    return (
      `No ${what} is running on ${home}, but ${countOfVms(guests.length)} ${are} still running: ${someOf(guests)}\n` +
      `To manage ${them} again: vireo ${start} ${flag}. To stop ${them}: vireo down ${flag}`
    );
  }
  if (libvirtdPid !== undefined)
    return `No ${what} is running on ${home}, but its libvirtd is (pid ${libvirtdPid}). To stop it: vireo down ${flag}`;
  return `No ${what} is running on ${home}. To start ${isNode ? 'it' : 'one'}: vireo ${start} ${flag}`;
}

function runningText(found: Status): string {
  const rows: [string, string | number | undefined][] = [
    ['ready', found.ready ? 'yes' : `no: ${found.problems?.join('; ')}`],
    ['pid', found.pid],
    ['port', found.port ?? 'not yet'],
    ['version', found.version],
    ['since', found.startedAt],
    ['kubeconfig', found.kubeconfig],
    ['cluster', found.joined?.server],
    ...nodeRows(found),
    ...(found.plugins ?? []).map(({ plugin, problem, hypervisors }): [string, string] => [
      'plug-in',
      problem === undefined ? `${plugin}, provides ${hypervisors.join(', ')}` : `${plugin} is not used: ${problem}`,
    ]),
    ['certificate', serverCertificate(found)],
    ['disk use', formatBytes(found.diskBytes)],
  ];
  const lines = rows.filter(([, value]) => value !== undefined).map(([name, value]) => `  ${name.padEnd(12)}${value}`);
  const what = found.joined ? `The node ${found.joined.name}` : 'A server';
  return [`${what} is running on ${found.home}`, ...lines, ...partsLines(found)].join('\n');
}

function partsLines({ roles = [], nodes = [], certificates = [] }: Status): string[] {
  const isOneProcess = nodes.length <= 1 && roles.every(({ instance }) => instance === EMBEDDED_INSTANCE);
  return isOneProcess ? [] : ['', partsTable({ roles, nodes, certificates })];
}

function serverCertificate({ certificates = [] }: Status): string | undefined {
  const notAfter = certificates.find(({ of }) => of === 'server')?.notAfter;
  return notAfter && `valid until ${notAfter}`;
}

function nodeRows({ node, vms: count, apiOnly, guests, joined }: Status): [string, string][] {
  if (apiOnly) {
    const left =
      guests.length > 0
        ? `, but ${countOfVms(guests.length)} from an earlier start ${guests.length === 1 ? 'is' : 'are'} still running`
        : '';
    return [['VMs', `none: the server was started with --api-only${left}`]];
  }
  if (joined) return [['VMs', `${guests.length} running here`]];
  return [
    ...(node
      ? ([
          ['node', `${node.name}, ${node.ready ? 'ready' : `not ready: ${node.problem}`}`],
          ['guests', node.virtualization === 'kvm' ? 'accelerated by KVM' : 'emulated, because KVM is not available'],
          ['libvirt', node.libvirt],
          ...networkRows(node),
        ] satisfies [string, string][])
      : []),
    ...(count ? ([['VMs', `${count.running} of ${count.total} running`]] satisfies [string, string][]) : []),
  ];
}

function networkRows({ network }: NodeState): [string, string][] {
  if (!network) return [];
  return [
    ['network', networkText(network)],
    ...(network.exposure === undefined ? [] : ([['exposure', network.exposure]] satisfies [string, string][])),
    ...(network.firewall === undefined ? [] : ([['firewall', network.firewall]] satisfies [string, string][])),
  ];
}
