import type { Event, Persisted } from '@vireo/api';
import { age } from '@vireo/api/kinds/columns.ts';
import { runStrategyOf } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { programName } from '../../../programName.ts';
import type { Login } from '../ssh/login.ts';
import { formatSize, objectOf, type VmOrVmi, type VmSummary } from '../vmSummary.ts';

/** Everything that `vireo info` tells. */
export interface VmInfo extends VmSummary {
  /** Why the VM is not as it should be; what conditions say. */
  readonly problems: readonly string[];
  readonly runStrategy?: string;
  readonly runningSince?: string;
  readonly instancetype?: string;
  readonly guestAgent: 'connected' | 'not connected';
  readonly snapshots: readonly { readonly name: string; readonly state: string; readonly createdAt: string }[];
  readonly events: readonly {
    readonly at: string;
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly count: number;
  }[];
  readonly user?: string;
  /** Commands that lead into the guest. */
  readonly commands: readonly string[];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Conditions that are bad news when they are True; the others are when they are False. */
const BAD_WHEN_TRUE = new Set(['Failure', 'Paused', 'RestartRequired', 'ManualRecoveryRequired']);
/** Facts, and what every VM that is stopped or starting says. */
const ORDINARY_TYPES = new Set([
  'AgentConnected',
  'LiveMigratable',
  'StorageLiveMigratable',
  'Initialized',
  'Provisioning',
]);
const ORDINARY_REASONS = new Set(['VMINotExists', 'VMIConditionMissing', 'PodNotExists', 'GuestNotRunning']);

/** What conditions say that somebody should know, each once. */
export function problemsOf({ vm, vmi }: VmOrVmi): string[] {
  const conditions: Condition[] = [...(vm?.status?.conditions ?? []), ...(vmi?.status?.conditions ?? [])];
  const isBad = ({ type, status }: Condition): boolean =>
    status === (BAD_WHEN_TRUE.has(type) ? 'True' : 'False') || (type === 'Ready' && status === 'Unknown');
  const isOrdinary = ({ type, reason }: Condition): boolean =>
    ORDINARY_TYPES.has(type) || ORDINARY_REASONS.has(reason ?? '');
  const problems = conditions
    .filter((each) => isBad(each) && !isOrdinary(each))
    .map(({ type, status, reason, message }) => message || reason || `${type} is ${status}`);
  return [...new Set(problems)];
}

/** The newest last, as in a log. */
export function eventsOf(events: readonly Persisted<Event>[], uids: ReadonlySet<string>, most = 5): VmInfo['events'] {
  const at = ({ series, lastTimestamp, firstTimestamp, eventTime, metadata }: Persisted<Event>): string =>
    series?.lastObservedTime ?? lastTimestamp ?? firstTimestamp ?? eventTime ?? metadata.creationTimestamp;
  return events
    .filter(({ involvedObject }) => uids.has(involvedObject?.uid ?? ''))
    .map((event) => ({
      at: at(event),
      type: event.type ?? 'Normal',
      reason: event.reason ?? '',
      message: event.message ?? '',
      count: event.series?.count ?? event.count ?? 1,
    }))
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .slice(-most);
}

interface VmInfoSources {
  readonly pair: VmOrVmi;
  readonly summary: VmSummary;
  readonly login: Login;
  readonly snapshots: readonly Persisted<VirtualMachineSnapshot>[];
  readonly events: readonly Persisted<Event>[];
}

/** Puts together what there is to say of a VM. */
export function vmInfo({ pair, summary, login, snapshots, events }: VmInfoSources): VmInfo {
  const { vm, vmi } = pair;
  const { name, namespace = '' } = objectOf(pair).metadata;
  const uids = new Set([vm, vmi].flatMap((each) => each?.metadata.uid ?? []));
  const running = vmi?.status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
  const isConnected = vmi?.status?.conditions?.some(
    ({ type, status }) => type === 'AgentConnected' && status === 'True',
  );
  const inNamespace = `-n ${namespace}`;
  const runStrategy = vm && runStrategyOf(vm);
  const instancetype = vm?.spec.instancetype?.name;
  return {
    ...summary,
    problems: problemsOf(pair),
    ...(runStrategy && { runStrategy }),
    ...(running?.phaseTransitionTimestamp && { runningSince: running.phaseTransitionTimestamp }),
    ...(instancetype && { instancetype }),
    guestAgent: isConnected ? 'connected' : 'not connected',
    snapshots: snapshots
      .filter(({ spec: { source } }) => vm !== undefined && source.name === name)
      .map(({ metadata, status }) => ({
        name: metadata.name,
        state: status?.readyToUse ? 'Ready' : (status?.phase ?? 'InProgress'),
        createdAt: status?.creationTime ?? metadata.creationTimestamp,
      })),
    events: eventsOf(events, uids),
    ...(login.user && { user: login.user }),
    commands: isRunning(vmi)
      ? [
          `${programName} shell ${name} ${inNamespace}`,
          ...(isConnected ? [`${programName} exec ${name} ${inNamespace} -- uname -a`] : []),
          `${programName} console ${name} ${inNamespace}`,
        ]
      : summary.state === 'Stopped'
        ? [`${programName} start ${name} ${inNamespace}`]
        : [],
  };
}

/** The same for people. */
export function infoText(info: VmInfo, now: Date): string {
  const since = info.runningSince && info.state === 'Running' ? ` for ${age(info.runningSince, now)}` : '';
  const lines: [string, string | undefined][] = [
    ['Name', info.name],
    ['Namespace', info.namespace],
    ...(info.kind === 'VirtualMachineInstance'
      ? ([['Kind', 'VirtualMachineInstance without a VirtualMachine']] as [string, string][])
      : []),
    ['State', `${info.state}${since}`],
    ...info.problems.map((problem, index): [string, string] => [index === 0 ? 'Because' : '', problem]),
    ['Run strategy', info.runStrategy],
    ['Created', `${info.createdAt} (${age(info.createdAt, now)} ago)`],
    ['Node', info.node],
    ['Image', info.image],
    ['CPUs', info.cpus?.toString()],
    ['Memory', info.memory],
    ['Instance type', info.instancetype],
    ...info.addresses.map((address, index): [string, string] => [index === 0 ? 'Addresses' : '', address]),
    ['Guest OS', info.guestOS],
    ['Guest agent', info.node ? info.guestAgent : undefined],
    ...section('Disks', info.disks.map(diskText)),
    ...section(
      'Snapshots',
      info.snapshots.map(({ name, state, createdAt }) => `${name} (${state}, ${age(createdAt, now)} ago)`),
    ),
    ...section(
      'Events',
      info.events.map(
        ({ at, type, reason, message, count }) =>
          `${age(at, now).padEnd(5)} ${type === 'Warning' ? 'Warning ' : ''}${reason}: ${message}${count > 1 ? ` (${count} times)` : ''}`,
      ),
    ),
    ['User', info.user],
    ...section(info.state === 'Stopped' ? 'Start' : 'Connect', info.commands),
  ];
  return lines
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([label, value]) => `${(label ? `${label}:` : '').padEnd(LABEL_WIDTH)}${value}`)
    .join('\n');
}

const LABEL_WIDTH = 16;

const section = (label: string, lines: readonly string[]): [string, string][] =>
  lines.map((line, index) => [index === 0 ? label : '', line]);

function diskText({ name, source, claim, sizeBytes, isEphemeral }: VmInfo['disks'][number]): string {
  const facts = [
    ...(sizeBytes ? [formatSize(sizeBytes)] : []),
    ...(claim && source !== `claim ${claim}` ? [`claim ${claim}`] : []),
    ...(source ? [claim && source !== `claim ${claim}` ? `from ${source}` : source] : []),
    ...(isEphemeral ? ['lost when the VM stops'] : []),
  ];
  return `${name}: ${facts.join(', ')}`;
}
