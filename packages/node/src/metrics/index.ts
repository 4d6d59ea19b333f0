import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Clock, Log, Metrics, Sample } from '@vireo/kube';
import type { ReconnectingLibvirt } from '@vireo/libvirt';
import type { HealthSource } from '../registration/readiness.ts';
import { type DomainInformer, domainKey } from '../vmi/domainInformer.ts';
import { askAgent } from './agentReport.ts';
import { AgentReports } from './agentReports.ts';
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
    guests = await Promise.all(
      known.map(async ({ domain, parameters, vmi, view }) => {
        const migration = await migrationOf(libvirt.long, domain, vmi);
        const guest = { node: name, vmi, view, stats: parameters, report: reports.of(domain), migration };
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
