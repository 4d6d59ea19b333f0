import { Node } from '@vireo/api';
import { HEARTBEAT_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  type Client,
  type Clock,
  consoleLog,
  controllerMetrics,
  EventRecorder,
  type Log,
  Metrics,
  type NodeApi,
  type NodeLogs,
  pause,
  systemClock,
} from '@vireo/kube';
import { simulatedApi, simulatedLogs } from './api.ts';
import { SimulatedVmiController } from './controller.ts';
import { registerSimulated, simulatedName } from './node.ts';

export interface SimulationOptions {
  /** Carries the identity `USER`. */
  readonly client: Client;
  /** How many nodes. */
  readonly count: number;
  readonly architecture?: string;
  readonly log?: Log;
  /** Where the work of the nodes is counted. */
  readonly metrics?: Metrics;
  readonly clock?: Clock;
}

export interface Simulation {
  readonly names: readonly string[];
  /** Of every one of the nodes. */
  readonly api: NodeApi;
  logs(nodeName: string): NodeLogs;
  readonly ended: Promise<void>;
}

/** Nodes that register together: each waits for the disk, and many can wait at once. */
const BATCH_SIZE = 32;
/** How long a node may be silent is five minutes; all of them speak well before that, spread over the time. */
const ROUND_MS = 120_000;

/**
 * Nodes that run stub VMs only. They take neither libvirt nor processes: one loop writes what real nodes would
 * write, at the pace of the table of stages.
 */
export async function startSimulatedNodes(options: SimulationOptions, signal: AbortSignal): Promise<Simulation> {
  const { client, count, architecture = 'amd64', log = consoleLog, clock = systemClock } = options;
  const names = Array.from({ length: count }, (_, index) => simulatedName(index));
  const recorder = new EventRecorder(client, { component: 'virt-handler', host: 'simulated', log, clock });
  const metrics = controllerMetrics(options.metrics ?? new Metrics(), 'kubevirt_', 'virt-handler');
  const controller = new SimulatedVmiController({ client, recorder, log, metrics, clock }, new Set(names));
  for (let first = 0; first < count; first += BATCH_SIZE) {
    const some = names.slice(first, first + BATCH_SIZE);
    await Promise.all(some.map((name) => registerSimulated(client, name, architecture, new Date(clock.now()))));
  }
  const { ended } = await controller.start(signal);
  const heartbeat = keepHeartbeats(client, names, { clock, log }, signal);
  const all = Promise.all([ended, heartbeat]).then(() => recorder.close());
  return {
    names,
    api: simulatedApi(controller, clock),
    logs: (nodeName) => simulatedLogs(controller, nodeName, clock),
    ended: all,
  };
}

async function keepHeartbeats(
  client: Client,
  names: readonly string[],
  { clock, log }: { clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn++) {
    await pause(ROUND_MS / names.length, signal, clock);
    if (signal.aborted) return;
    const annotations = { [HEARTBEAT_ANNOTATION]: new Date(clock.now()).toISOString() };
    const name = names[turn % names.length] ?? '';
    await client
      .of(Node)
      .patch(name, { metadata: { annotations } }, { type: 'merge' })
      .catch((error: unknown) => log.warn('cannot renew the lease of the node', { kind: Node.kind, name }, { error }));
  }
}
