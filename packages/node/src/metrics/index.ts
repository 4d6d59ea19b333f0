import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Clock, Log, Metrics, Sample } from '@vireo/kube';
import type { ReconnectingLibvirt } from '@vireo/libvirt';
import type { HealthSource } from '../registration/readiness.ts';
import { type DomainInformer, domainKey } from '../vmi/domainInformer.ts';
import type { DomainView } from '../vmi/domainView.ts';
import { askAgent } from './agentReport.ts';
import { AgentReports } from './agentReports.ts';
import { type Counters, fromOtherSide } from './cardCounters.ts';
import { StatsReader } from './domainStats.ts';
import { type MeasuredGuest, ownLabels, placeOf } from './guest.ts';
import { GUEST_METRICS } from './guestMetrics.ts';
import { MIGRATION_METRICS, migrationOf } from './migration.ts';

export interface MeasuredNode {
  readonly name: string;
  readonly libvirt: ReconnectingLibvirt;
  readonly domains: Pick<DomainInformer, 'get'>;
  /** By `namespace/name`. */
  vmi(key: string): Vmi | undefined;
  /** The macvtaps of a VMI's cards, by its UID. */
  macvtapsOf(uid: string): readonly string[];
  /** What the devices of the host have received and sent. */
  readCounters(): Promise<ReadonlyMap<string, Counters>>;
  readonly health: HealthSource;
  readonly log: Log;
  readonly clock: Clock;
}

/** The metrics of a node and of the guests that run on it. One scrape costs one call of libvirt's. */
export function observeNode(metrics: Metrics, node: MeasuredNode): void {
  const { name, libvirt, domains, health, log, clock } = node;
  metrics.gauge(
    'kubevirt_virt_handler_ready_status',
    'Indication for a virt-handler that is ready to serve requests.',
    () => (health.problem() === undefined ? 1 : 0),
  );
  const reader = new StatsReader(libvirt, clock);
  const reports = new AgentReports((domain, signal) => askAgent(libvirt.long, domain, signal), clock);
  let guests: readonly { guest: MeasuredGuest; place: string[]; more: string }[] = [];
  metrics.prepare(async () => {
    const stats = await reader.read();
    const known = stats.flatMap(({ domain, parameters }) => {
      const vmi = node.vmi(domainKey(domain));
      const view = domains.get(domain.uuid)?.view;
      // One of that name that came before it is not the VMI.
      return vmi?.metadata.uid === domain.uuid && view ? [{ domain, parameters, vmi, view }] : [];
    });
    const reachable = known.flatMap(({ domain, view }) => (view.isAgentConnected ? [domain] : []));
    reports
      .refresh(reachable)
      .catch((error: unknown) => log.error('cannot query the guest agents', { kind: 'Node', name }, { error }));
    const onHost = known.some(({ view }) => ownDevices(view).length > 0) ? await node.readCounters() : new Map();
    guests = await Promise.all(
      known.map(async ({ domain, parameters, vmi, view }) => {
        const migration = await migrationOf(libvirt.long, domain, vmi);
        const counters = countersOf(view, new Set(node.macvtapsOf(domain.uuid)), onHost);
        const guest = { node: name, vmi, view, stats: parameters, counters, report: reports.of(domain), migration };
        return { guest, place: placeOf(guest), more: ownLabels(vmi) };
      }),
    );
  });
  for (const metric of [...GUEST_METRICS, ...MIGRATION_METRICS])
    metrics.read(metric, function* (): Iterable<Sample> {
      for (const { guest, place, more } of guests)
        for (const [labels, value] of metric.series(guest)) yield { labels: [...place, ...labels], value, more };
    });
}

type Cards = Pick<DomainView, 'interfaces'>;

/** The devices of a guest's cards that the node has made. */
const ownDevices = ({ interfaces }: Cards): string[] =>
  Object.values(interfaces).flatMap(({ device, isDeviceOfNode }) => (device && isDeviceOfNode ? [device] : []));

/**
 * What the cards of a guest have carried on devices of the node's own. libvirt takes each of them for a tap, where the host
 * receives what the guest sends. A macvtap is on the guest's side already.
 */
function countersOf(
  view: Cards,
  macvtaps: ReadonlySet<string>,
  onHost: ReadonlyMap<string, Counters>,
): ReadonlyMap<string, Counters> {
  return new Map(
    ownDevices(view).flatMap((device) => {
      const counters = onHost.get(device);
      return counters ? [[device, macvtaps.has(device) ? counters : fromOtherSide(counters)] as const] : [];
    }),
  );
}
