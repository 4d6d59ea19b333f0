import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { DEFAULT_NETWORK } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import type { ApiServer } from '@vireo/apiserver';
import type { PluginReport } from '@vireo/hypervisor/plugins/load.ts';
import { configureLog, type LogFormat, type LogLevel } from '@vireo/kube/log/index.ts';
import type { KvmProbe, NetworkKind } from '@vireo/node';
import { leftRunning } from '@vireo/node/shutdown/leftRunning.ts';
import { readDashboardConfig } from '../dashboardLogin/config.ts';
import { addDashboardRoutes } from '../dashboardRoutes.ts';
import { formatDuration } from '../duration.ts';
import { Failure } from '../failure.ts';
import { finishRestore } from '../finishRestore.ts';
import { imageCache } from '../imageCache.ts';
import type { NodeNetwork } from '../localNodes/plan.ts';
import { keepLog } from '../logFile.ts';
import { networkRanges } from '../networkRanges.ts';
import type { RangePair } from '../options.ts';
import { firstVm, ownCommand } from '../ownCommand.ts';
import type { PodNetwork } from '../podNetwork.ts';
import { prepareHome } from '../prepareHome.ts';
import { ownRecord, removeServerRecord, writeServerRecord } from '../serverRecord.ts';
import { explainStartError } from '../startError.ts';
import { openStarter } from '../starter.ts';
import { stopSignal } from '../stopSignal.ts';
import { builtGuest } from './imageList.ts';
import { leftRunningText, type Ready, readyText } from './readyText.ts';

export interface UpOptions {
  readonly home: string;
  readonly port: number;
  /** Whether the host stays out of it: no node, no VMs. */
  readonly apiOnly?: boolean;
  /** How many nodes this host has, the first included. */
  readonly nodes?: number;
  /** How many nodes that run stub VMs only stand beside this host. */
  readonly simulateNodes?: number;
  /** Who can reach the port: clients of all hosts, or of this one. */
  readonly listen?: 'all' | 'local';
  /** Where the addresses of guests and Services come from. */
  readonly clusterCidr?: RangePair;
  readonly nodeCidrMaskSize?: number;
  readonly serviceCidr?: RangePair;
  readonly podNetwork?: PodNetwork;
  /** Networks that no disk is downloaded from. */
  readonly refuseImports?: string;
  /** Where the extension listens for the front proxy of another server. */
  readonly extensionPort?: number;
  /** Whether the extension is a part of the server's process, or one of its own. */
  readonly extension?: 'in-process' | 'remote';
  /** The name of this host's node; missing: the host's. */
  readonly nodeName?: string;
  /** How often nodes and pods are measured, in milliseconds. */
  readonly metricResolution?: number;
  /** Where the identity providers of users are described. */
  readonly authenticationConfig?: string;
  /** How the dashboard is set up. */
  readonly dashboardConfig?: string;
  /** How often autoscalers act, in milliseconds. */
  readonly horizontalPodAutoscalerSyncPeriod?: number;
  readonly auditPolicyFile?: string;
  readonly auditLogPath?: string;
  /** In megabytes. */
  readonly auditLogMaxsize?: number;
  readonly auditLogMaxbackup?: number;
  /** In days. */
  readonly auditLogMaxage?: number;
  readonly logFormat?: LogFormat;
  readonly logLevel?: LogLevel;
  /** Whether it goes on in the background once it is ready. */
  readonly detach?: boolean;
}

/** Starts the server of a home and returns when it has ended; in the background, when it is ready. */
export async function up(options: UpOptions): Promise<void> {
  const { home, apiOnly = false } = options;
  if (options.extension === 'remote' && options.apiOnly)
    throw new Failure(
      '--extension remote needs VMs, which --api-only leaves out',
      'Leave out --api-only, or --extension remote.',
    );
  if (options.extension === 'remote' && options.extensionPort !== undefined)
    throw new Failure(
      '--extension-port needs the extension in the server’s process',
      'Leave out --extension-port, or --extension remote.',
    );
  if ((options.nodes ?? 1) > 1 && options.listen === 'local' && isRoot())
    throw new Failure(
      '--nodes needs a server that further nodes can connect to: with --listen local, only clients on this host can',
      'Leave out --listen local, or --nodes.',
    );
  const starter = openStarter();
  if (options.detach && !starter) return (await import('./detach.ts')).detach(home);
  // A closed terminal or a broken pipe must not keep the server from ending in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const startedAt = performance.now();
  const stop = stopSignal({ endsWithLauncher: !starter });
  prepareHome(home);
  await finishRestore(home);
  keepLog(home);
  const { logFormat: format = 'text', logLevel: level = 'info' } = options;
  configureLog({ format, level });
  const found = (await leftRunning(home)).guests.length;

  const record = { ...ownRecord(), ...(apiOnly && { apiOnly }) };
  writeServerRecord(home, record);
  try {
    const server = await startServer(options);
    const { port, plugins, ownNode } = server;
    writeServerRecord(home, { ...record, port, ...(ownNode && { ownNode }), ...(plugins && { plugins }) });
    const duration = formatDuration(performance.now() - startedAt);
    const vms = server.kvm && (await vmsReady(home, server.kvm, server.plugins ?? [], server.guestNetwork));
    const ready = {
      ...server,
      home,
      duration,
      command: ownCommand(),
      guests: found,
      isDetached: starter !== undefined,
    };
    console.log(readyText({ ...ready, ...(vms && { vms }) }));
    starter?.reportReady();
    // Otherwise written at the end only, and a server that is killed would start slowly again.
    flushCompileCache();

    const reason = await Promise.race([stop, server.closed]);
    if (reason === undefined) throw new Failure('the server stopped unexpectedly', 'Its last messages are above.');
    console.log(`\nStopping on ${reason} …`);
    const stoppingAt = performance.now();
    await server.close();
    console.log(`Stopped in ${formatDuration(performance.now() - stoppingAt)}. All data is kept in ${home}.`);
    const { guests } = await leftRunning(home);
    if (guests.length > 0) console.log(leftRunningText(guests.length, home, ownCommand()));
  } finally {
    removeServerRecord(home);
  }
}

async function startServer(options: UpOptions) {
  const { home, port, listen, apiOnly, nodes = 1, simulateNodes, extensionPort, extension, nodeName } = options;
  const { refuseImports, podNetwork = 'routed' } = options;
  const { metricResolution, authenticationConfig, horizontalPodAutoscalerSyncPeriod } = options;
  const { clusterCidr, serviceCidr, nodeCidrMaskSize } = options;
  const wanted = {
    // Who names ranges without one of IPv6 wants none.
    ...(clusterCidr !== undefined && { clusterCIDR: clusterCidr.ipv4, clusterCIDRv6: clusterCidr.ipv6 ?? null }),
    ...(serviceCidr !== undefined && { serviceCIDR: serviceCidr.ipv4, serviceCIDRv6: serviceCidr.ipv6 ?? null }),
  };
  const network = {
    ...DEFAULT_NETWORK,
    ...(await networkRanges(home, wanted, { isRouted: podNetwork === 'routed' && !apiOnly && isRoot() })),
  };
  const address = listen === 'local' ? { host: '127.0.0.1' } : {};
  // The threads that download read it there.
  if (refuseImports !== undefined) process.env.VIREO_IMPORT_REFUSE = refuseImports;
  // Loaded here, so that the other commands start without the server's code.
  const apiserver = await import('@vireo/apiserver');
  const login = await readDashboardConfig({
    path: options.dashboardConfig ?? join(home, 'dashboard.yaml'),
    isRequired: options.dashboardConfig !== undefined,
  });
  let kvm: KvmProbe | undefined;
  let plugins: readonly PluginReport[] | undefined;
  let ownNode: string | undefined;
  let guestNetwork: NetworkKind | undefined;
  const extend = apiOnly
    ? handOn
    : (await import('../virtualization.ts')).withVirtualization({
        home,
        imageCache: imageCache(home),
        network,
        podNetwork,
        localNodes: { count: nodes, network: await networkFor(home, nodes) },
        ...(simulateNodes && { simulatedNodes: simulateNodes }),
        ...(extensionPort !== undefined && { extension: { port: extensionPort, ...address } }),
        ...(extension === 'remote' && { isExtensionRemote: true }),
        ...(nodeName !== undefined && { nodeName }),
        onNode: (name, network) => {
          ownNode = name;
          guestNetwork = network;
        },
        onKvm: (probe) => {
          kvm = probe;
        },
        onPlugins: (reports) => {
          plugins = reports;
        },
      });
  try {
    const server = await apiserver.startServer({
      home,
      port,
      ...address,
      ranges: {
        clusterCIDR: network.clusterCIDR,
        ...(network.clusterCIDRv6 !== undefined && { clusterCIDRv6: network.clusterCIDRv6 }),
        serviceCIDR: network.serviceCIDR,
        ...(network.serviceCIDRv6 !== undefined && { serviceCIDRv6: network.serviceCIDRv6 }),
        ...(nodeCidrMaskSize !== undefined && { nodeCIDRMaskSize: nodeCidrMaskSize }),
      },
      ...(authenticationConfig !== undefined && { authenticationConfig }),
      audit: {
        policyFile: options.auditPolicyFile,
        logPath: options.auditLogPath,
        maxSizeMb: options.auditLogMaxsize,
        maxBackups: options.auditLogMaxbackup,
        maxAgeDays: options.auditLogMaxage,
      },
      onStep: (text, ms) => console.log(`${text} … ${formatDuration(ms)}`),
      ...(metricResolution !== undefined && { metricResolutionMs: metricResolution }),
      ...(horizontalPodAutoscalerSyncPeriod !== undefined && {
        autoscalerSyncPeriodMs: horizontalPodAutoscalerSyncPeriod,
      }),
      extend,
    });
    addDashboardRoutes(server.api, { login });
    return { ...server, kvm, plugins, ownNode, guestNetwork };
  } catch (error) {
    throw explainStartError(error, { home, port });
  }
}

/** Whoever adds VMs by processes of their own has uploads, exports and the Steve API handed on to them as well. */
async function handOn(api: ApiServer): Promise<() => Promise<void>> {
  (await import('@vireo/extension/remote/reach.ts')).reachExtension(api);
  return async () => {};
}

/** Before the server starts: its certificate is for the addresses that the host has then. */
async function networkFor(home: string, nodes: number): Promise<NodeNetwork | undefined> {
  if (nodes <= 1) return undefined;
  const { ensureNetwork, findNetwork } = await import('../localNodes/network.ts');
  const network = await findNetwork(home);
  if (network) await ensureNetwork(home, network);
  return network;
}

const isRoot = (): boolean => process.getuid?.() === 0;

async function vmsReady(
  home: string,
  kvm: KvmProbe,
  plugins: readonly PluginReport[],
  network: NetworkKind | undefined,
): Promise<Ready['vms']> {
  const unused = plugins.flatMap(({ plugin, problem }) => (problem === undefined ? [] : [`${plugin}: ${problem}`]));
  return {
    manifest: firstVm,
    isGuestImageBuilt: (await builtGuest(home)) !== undefined,
    ...(!kvm.isUsable && { emulatedBecause: kvm.reason }),
    ...(network?.kind === 'user' && { userNetworkBecause: network.message }),
    ...(unused.length > 0 && { unusedPlugins: unused }),
  };
}
