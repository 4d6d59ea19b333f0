import type { PluginReport } from '@vireo/hypervisor/plugins/load.ts';
import { formatBytes } from '../diskUse.ts';
import type { MachineCount, NodeState } from '../readiness.ts';
import { shellWord } from './readyText.ts';
import { machines, someOf } from './shutdownText.ts';

/** What `vireo status` tells about a home. */
export interface Status {
  readonly home: string;
  readonly running: boolean;
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly problems?: readonly string[];
  readonly pid?: number;
  readonly port?: number | undefined;
  readonly version?: string;
  readonly startedAt?: string;
  readonly kubeconfig?: string;
  /** Whether it serves the API alone. */
  readonly apiOnly?: boolean;
  /** What became of the packages that bring hypervisors. */
  readonly plugins?: readonly PluginReport[];
  readonly node?: NodeState;
  readonly machines?: MachineCount;
  /** `namespace/name` of the guests whose processes run, whether the server does or not. */
  readonly guests: readonly string[];
  readonly libvirtdPid?: number | undefined;
  readonly diskBytes: number;
}

/** The status in words. */
export function statusText(found: Status): string {
  return found.running ? runningText(found) : stoppedText(found);
}

function stoppedText({ home, guests, libvirtdPid }: Status): string {
  const flag = `--home ${shellWord(home)}`;
  if (guests.length > 0) {
    const [run, them] = guests.length === 1 ? ['runs', 'it'] : ['run', 'them'];
    return (
      `No server runs on ${home}, but ${machines(guests.length)} still ${run}: ${someOf(guests)}\n` +
      `Look after ${them} again with: vireo up ${flag}. Stop ${them} with: vireo down ${flag}`
    );
  }
  if (libvirtdPid !== undefined)
    return `No server runs on ${home}, but its libvirtd does (pid ${libvirtdPid}). End it with: vireo down ${flag}`;
  return `No server runs on ${home}. Start one with: vireo up ${flag}`;
}

function runningText(found: Status): string {
  const rows: [string, string | number | undefined][] = [
    ['ready', found.ready ? 'yes' : `no: ${found.problems?.join('; ')}`],
    ['pid', found.pid],
    ['port', found.port ?? 'not yet'],
    ['version', found.version],
    ['since', found.startedAt],
    ['kubeconfig', found.kubeconfig],
    ...nodeRows(found),
    ...(found.plugins ?? []).map(({ plugin, problem, hypervisors }): [string, string] => [
      'plug-in',
      problem === undefined ? `${plugin}, brings ${hypervisors.join(', ')}` : `${plugin} is not used: ${problem}`,
    ]),
    ['disk use', formatBytes(found.diskBytes)],
  ];
  const lines = rows.filter(([, value]) => value !== undefined).map(([name, value]) => `  ${name.padEnd(12)}${value}`);
  return [`A server runs on ${found.home}`, ...lines].join('\n');
}

function nodeRows({ node, machines: count, apiOnly, guests }: Status): [string, string][] {
  if (apiOnly) {
    const left = guests.length > 0 ? `, but ${machines(guests.length)} of an earlier start still run` : '';
    return [['machines', `none: it was started with --api-only${left}`]];
  }
  return [
    ...(node
      ? ([
          ['node', `${node.name}, ${node.ready ? 'ready' : `not ready: ${node.problem}`}`],
          ['guests run', node.virtualization === 'kvm' ? 'on KVM' : 'by emulation, for KVM cannot be used'],
          ['libvirt', node.libvirt],
        ] satisfies [string, string][])
      : []),
    ...(count ? ([['machines', `${count.running} of ${count.total} running`]] satisfies [string, string][]) : []),
  ];
}
