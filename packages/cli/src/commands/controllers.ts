import { Lease } from '@vireo/api';
import { startControllers, USER } from '@vireo/controllers';
import {
  Client,
  consoleLog,
  leaderTransport,
  Metrics,
  observedTransport,
  runWhileLeader,
  type Term,
} from '@vireo/kube';
import { configureLog, type LogFormat, type LogLevel } from '@vireo/kube/log/index.ts';
import type { BindAddress } from '../options.ts';
import { connectRole } from '../roles/connect.ts';
import { serveHealth } from '../roles/health.ts';
import { instanceName } from '../roles/instanceName.ts';
import { stopSignal } from '../stopSignal.ts';

/** Options of `vireo controllers`. */
export interface ControllersOptions {
  readonly kubeconfig?: string;
  readonly home: string;
  readonly uploadUrl?: string;
  /** In milliseconds, as are the other two. */
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
  readonly metricsBindAddress?: BindAddress;
  readonly logFormat?: LogFormat;
  readonly logLevel?: LogLevel;
}

/** The Lease that instances compete for, under KubeVirt's name. */
const LEASE = 'virt-controller';

/** Runs the controllers of VMs whenever this process leads, until it is told to stop. */
export async function controllers(options: ControllersOptions): Promise<void> {
  configureLog({ format: options.logFormat ?? 'text', level: options.logLevel ?? 'info' });
  const stopping = new AbortController();
  const stop = stopSignal({ endsWithLauncher: true });
  void stop.then(() => stopping.abort());
  const [, , namespace = '', name = ''] = USER.split(':');
  const connection = await connectRole(options, { namespace, name }, 'virt-controller', stopping.signal);
  const identity = instanceName();
  const metrics = new Metrics();
  let isLeading = false;
  metrics.gauge(
    'kubevirt_virt_controller_ready_status',
    'Indication for a virt-controller that is ready to take the lead.',
    () => 1,
  );
  metrics.gauge('kubevirt_virt_controller_leading_status', 'Indication for an operating virt-controller.', () =>
    isLeading ? 1 : 0,
  );
  const counted = observedTransport(connection.transport, metrics, new URL(connection.config.server).host);

  const lead = async (term: Term): Promise<void> => {
    isLeading = true;
    console.log(`${identity} leads.`);
    const { uploadUrl } = options;
    const { ended } = startControllers(
      {
        client: new Client(leaderTransport(counted, term)),
        health: 'observed',
        metrics,
        ...(uploadUrl !== undefined && { uploadUrl }),
      },
      term.signal,
    );
    await ended;
    isLeading = false;
    if (!stopping.signal.aborted)
      consoleLog.warn('this instance no longer leads', { kind: Lease.kind, namespace, name: LEASE }, { identity });
  };

  const health =
    options.metricsBindAddress &&
    (await serveHealth({
      address: options.metricsBindAddress,
      client: connection.client,
      components: new Map([['virt-controller', metrics]]),
    }));
  console.log(`${identity} is ready to lead.`);
  try {
    await runWhileLeader(
      {
        client: new Client(counted),
        namespace,
        name: LEASE,
        identity,
        leaseDurationMs: options.leaderElectLeaseDuration,
        renewDeadlineMs: options.leaderElectRenewDeadline,
        retryPeriodMs: options.leaderElectRetryPeriod,
      },
      lead,
      stopping.signal,
    );
  } finally {
    await health?.close();
    await connection.close();
  }
}
