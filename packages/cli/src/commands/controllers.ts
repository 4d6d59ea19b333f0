import { Metrics, observedTransport, observeProcess } from '@vireo/kube';
import { configureLog, type LogFormat, type LogLevel } from '@vireo/kube/log/index.ts';
import { Failure } from '../failure.ts';
import type { BindAddress } from '../options.ts';
import { connectRole } from '../roles/connect.ts';
import { serveHealth } from '../roles/health.ts';
import { instanceName } from '../roles/instanceName.ts';
import { CONTROLLER_ACCOUNT, leadControllers } from '../roles/leadControllers.ts';
import { publishMetrics } from '../roles/metricsEndpoint.ts';
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

/** Runs the controllers of VMs whenever this process leads, until it is told to stop. */
export async function controllers(options: ControllersOptions): Promise<void> {
  if (options.leaderElectRenewDeadline >= options.leaderElectLeaseDuration)
    throw new Failure('--leader-elect-renew-deadline must be shorter than --leader-elect-lease-duration');
  configureLog({ format: options.logFormat ?? 'text', level: options.logLevel ?? 'info' });
  const stopping = new AbortController();
  void stopSignal({ endsWithLauncher: true }).then(() => stopping.abort());
  const connection = await connectRole(options, CONTROLLER_ACCOUNT, 'virt-controller', stopping.signal);
  const identity = instanceName();
  const metrics = new Metrics();
  const { uploadUrl, metricsBindAddress: address } = options;
  const components = new Map([['virt-controller', metrics]]);
  observeProcess(metrics);
  const health = address && (await serveHealth({ address, client: connection.client, components }));
  const unpublish = address && health && (await publishMetrics(connection.client, 'virt-controller', address, health));
  console.log(`${identity} is ready to lead.`);
  const { ended } = leadControllers(
    {
      transport: observedTransport(connection.transport, metrics, new URL(connection.config.server).host),
      context: { health: 'observed', metrics, ...(uploadUrl !== undefined && { uploadUrl }) },
      identity,
      leaseDurationMs: options.leaderElectLeaseDuration,
      renewDeadlineMs: options.leaderElectRenewDeadline,
      retryPeriodMs: options.leaderElectRetryPeriod,
      onLeading: () => console.log(`${identity} leads.`),
    },
    stopping.signal,
  );
  try {
    await ended;
  } finally {
    await unpublish?.();
    await health?.close();
    await connection.close();
  }
}
