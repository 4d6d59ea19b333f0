import { join } from 'node:path';
import type { ApiServer } from '@vireo/apiserver';
import { observeWebhooks } from '@vireo/apiserver/admission/webhooks/observe.ts';
import { observeRequests } from '@vireo/apiserver/metrics/requests.ts';
import { observeVms } from '@vireo/controllers/metrics/index.ts';
import { observeConnections } from '@vireo/extension/streams/connections.ts';
import {
  controllerMetrics,
  type Informers,
  type MetricSpec,
  Metrics,
  observedTransport,
  systemClock,
  type Transport,
  WorkQueue,
} from '@vireo/kube';
import type { ReconnectingLibvirt } from '@vireo/libvirt';
import { GUEST_METRICS } from '@vireo/node/metrics/guestMetrics.ts';
import { observeNode } from '@vireo/node/metrics/index.ts';
import { MIGRATION_METRICS } from '@vireo/node/metrics/migration.ts';
import { componentMetrics } from '../componentMetrics.ts';
import { observeLeadership } from '../roles/leadControllers.ts';

/** The page whose end is written by `writeMetrics.ts`. */
export const metricsPage = join(import.meta.dirname, '../../../../docs/observability.md');

/** Everything from here on is generated. */
export const METRICS_MARK = '<!-- The rest is written by packages/cli/src/testing/writeMetrics.ts. -->\n';

/** What every metric of a guest that runs has beside its own labels. */
const GUEST_LABELS = '`kubernetes_vmi_label_…`';

/** The metrics of every component, as the components declare them. */
export function allMetrics(): Map<string, readonly MetricSpec[]> {
  const server = new Metrics();
  observeRequests(server, { store: { revision: 0 }, streams: { size: 0 }, isServed: () => false });
  observeWebhooks(server);
  controllerMetrics(server, '', '').observe('any', new WorkQueue());
  const registries = new Map([['kube-apiserver', server]]);
  const { api, controller, handler } = componentMetrics({ components: registries } as unknown as ApiServer);
  observeConnections(api, systemClock);
  const nobody = { on() {}, list: () => [], get: () => undefined, byIndex: () => [] };
  observeLeadership(controller, () => true);
  observeVms(controller, { for: () => nobody } as unknown as Informers);
  observeNode(handler, {
    name: '',
    libvirt: {} as ReconnectingLibvirt,
    domains: { get: () => undefined },
    vmi: () => undefined,
    macvtapsOf: () => [],
    readCounters: async () => new Map(),
    health: { problem: () => undefined, onChange: () => () => {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    clock: systemClock,
  });
  for (const metrics of [api, controller, handler]) observedTransport({} as Transport, metrics, '');
  for (const metrics of [controller, handler])
    controllerMetrics(metrics, 'kubevirt_', '').observe('any', new WorkQueue());
  return new Map([...registries].map(([name, metrics]) => [name, metrics.specs()]));
}

/** The table of all metrics. */
export function metricsTable(): string {
  const all = allMetrics();
  const byName = new Map<string, { spec: MetricSpec; components: string[] }>();
  for (const [component, specs] of all)
    for (const spec of specs) {
      const known = byName.get(spec.name);
      if (known) known.components.push(component);
      else byName.set(spec.name, { spec, components: [component] });
    }
  const ofGuests = new Set([...GUEST_METRICS, ...MIGRATION_METRICS].map(({ name }) => name));
  const rows = [...byName.values()]
    .sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1))
    .map(({ spec: { name, type, labels, isShared, help }, components }) => {
      const shown = [...labels, ...(isShared ? ['container'] : [])].map((label) => `\`${label}\``);
      const words = [...shown, ...(ofGuests.has(name) ? [GUEST_LABELS] : [])].join(' ');
      return `| \`${name}\` | ${type} | ${words} | ${components.join(', ')} | ${help.replaceAll('|', '\\|')} |`;
    });
  return ['| metric | type | labels | component | description |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}
