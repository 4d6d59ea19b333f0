import { Lease } from '@vireo/api';
import { VERSION_ANNOTATION } from '@vireo/api/kinds/kubevirt/names.ts';
import { type ControllersContext, startControllers, USER } from '@vireo/controllers';
import {
  Client,
  consoleLog,
  type LeaderElectionOptions,
  leaderTransport,
  Metrics,
  runWhileLeader,
  type Term,
  type Transport,
} from '@vireo/kube';
import { version } from '../version.ts';

/** The account of the controllers. */
const [, , namespace = '', name = ''] = USER.split(':');
export const CONTROLLER_ACCOUNT = { namespace, name };

/** The Lease that instances compete for, under KubeVirt's name. */
const LEASE = 'virt-controller';

export interface LeadingOptions
  extends Pick<LeaderElectionOptions, 'identity' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'> {
  /** Acts as `CONTROLLER_ACCOUNT`. */
  readonly transport: Transport;
  /** What the controllers run with, whenever they do. */
  readonly context: Omit<ControllersContext, 'client'>;
  /** Told when this instance begins to lead. */
  readonly onLeading?: () => void;
}

export interface LeadingControllers {
  /** Resolves when the controllers know the present state, or another instance is found to lead. */
  readonly settled: Promise<void>;
  readonly ended: Promise<void>;
}

/** Runs the controllers of VMs whenever this instance leads. Whoever lost the lease writes nothing. */
export function leadControllers(options: LeadingOptions, signal: AbortSignal): LeadingControllers {
  const { transport, context, identity, onLeading, ...periods } = options;
  const { metrics = new Metrics() } = context;
  const settled = Promise.withResolvers<void>();
  let isLeading = false;
  observeLeadership(metrics, () => isLeading);

  const lead = async (term: Term): Promise<void> => {
    isLeading = true;
    onLeading?.();
    const client = new Client(leaderTransport(transport, term));
    const { ended, synced } = startControllers(
      { ...context, metrics: metrics.until(term.signal), client },
      term.signal,
    );
    synced.then(settled.resolve, () => {});
    await ended;
    isLeading = false;
    if (!signal.aborted)
      consoleLog.warn('this instance no longer leads', { kind: Lease.kind, namespace, name: LEASE }, { identity });
  };

  const ended = runWhileLeader(
    {
      client: new Client(transport),
      ...CONTROLLER_ACCOUNT,
      name: LEASE,
      identity,
      annotations: { [VERSION_ANNOTATION]: version },
      ...periods,
      onStandby: () => settled.resolve(),
    },
    lead,
    signal,
  ).finally(settled.resolve);
  return { settled: settled.promise, ended };
}

/** Tells whether this instance leads, under KubeVirt's names. One that does not is ready to. */
export function observeLeadership(metrics: Metrics, isLeading: () => boolean): void {
  const gauge = (metric: string, what: string, value: () => number): void =>
    metrics.gauge(`kubevirt_virt_controller_${metric}_status`, `Indication for ${what}.`, value);
  gauge('ready', 'a virt-controller that is ready to take the lead', () => 1);
  gauge('leading', 'an operating virt-controller', () => (isLeading() ? 1 : 0));
}
