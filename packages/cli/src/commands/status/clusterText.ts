import { countOfVms } from '../shutdownText.ts';
import { formatTable } from '../vms/table.ts';
import type { ClusterStatus } from './askCluster.ts';
import type { NodeStatus, RoleStatus } from './cluster.ts';

/** An installation whose parts are processes of their own, in words. */
export function clusterText(found: ClusterStatus): string {
  const { server, problems, vms, certificates } = found;
  const expiry = (of: string): string | undefined => {
    const notAfter = certificates.find((each) => each.of === of)?.notAfter;
    return notAfter && `valid until ${notAfter}`;
  };
  const rows: [string, string | undefined][] = [
    ['ready', problems.length === 0 ? 'yes' : `no: ${problems.join('; ')}`],
    ['kubernetes', server.version],
    ['VMs', `${vms.running} of ${vms.total} running`],
    ['certificate', expiry('server')],
    ['kubeconfig', expiry('kubeconfig')],
  ];
  const lines = rows.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(12)}${value}`]));
  const parts = found.roles.length > 0 || found.nodes.length > 0 ? ['', partsTable(found)] : [];
  return [`The cluster at ${server.url}`, ...lines, ...parts].join('\n');
}

/** One row for each part that is a process or a host of its own. */
export function partsTable(found: Pick<ClusterStatus, 'roles' | 'nodes' | 'certificates'>): string {
  const { roles, nodes, certificates } = found;
  const expiry = (of: string): string => {
    const { notAfter, problem } = certificates.find((each) => each.of === of) ?? {};
    return notAfter?.slice(0, 10) ?? problem ?? '-';
  };
  return formatTable([
    ['COMPONENT', 'NAME', 'STATE', 'VERSION', 'CERTIFICATE UNTIL'],
    ...roles.map((each) => [
      each.role,
      each.instance,
      roleState(each),
      each.version ?? '-',
      expiry(`${each.role} ${each.instance}`),
    ]),
    ...nodes.map((each) => ['node', each.name, nodeText(each), each.version ?? '-', expiry(`node ${each.name}`)]),
  ]);
}

function roleState({ alive, leads, renewedAt }: RoleStatus): string {
  if (!alive) return `unreachable since ${renewedAt ?? 'its start'}`;
  return leads ? 'leader' : 'serving';
}

function nodeText({ ready, problem, cordoned, schedulable, vms, network }: NodeStatus): string {
  const state = ready ? 'ready' : `not ready: ${problem}`;
  const isClosed = !schedulable && !cordoned && ready;
  return [
    state,
    countOfVms(vms),
    ...(cordoned ? ['cordoned'] : []),
    ...(isClosed ? ['takes no VMs'] : []),
    // The Node's conditions have the reasons, and the commands that mend it.
    ...(network?.kind === 'user' ? ['user networking'] : []),
    ...(network?.firewall ? ['a firewall drops packets of guests'] : []),
  ].join(', ');
}
