import { flushCompileCache } from 'node:module';
import { hostname } from 'node:os';
import { loadPlugins, problemsOf } from '@vireo/hypervisor/plugins/index.ts';
import {
  Client,
  consoleLog,
  exposition,
  type HttpConfig,
  Metrics,
  observedTransport,
  pause,
  type Transport,
} from '@vireo/kube';
import { CertificateFiles } from '@vireo/kube/certificates/certificateFiles.ts';
import { CertificateRefusedError } from '@vireo/kube/certificates/requestCertificate.ts';
import { configureLog, type LogFormat, type LogLevel } from '@vireo/kube/log/index.ts';
import { hostAddress } from '@vireo/kube/serving/hostAddress.ts';
import { leftRunning, listenAsNode, OtherHostError, resumeFencing, startHypervisor, startNode } from '@vireo/node';
import { formatDuration } from '../../duration.ts';
import { errorCode, Failure } from '../../failure.ts';
import { imageCache } from '../../imageCache.ts';
import { type EndpointOptions, resolvableName, serveNode } from '../../joining/endpoint.ts';
import { findNodeServer } from '../../joining/findServer.ts';
import { IDENTITY_FILES, type NodeIdentity, openIdentity } from '../../joining/identity.ts';
import { nodeFiles } from '../../joining/nodeFiles.ts';
import { readNodeRecord, refuseServerHome, writeNodeRecord } from '../../joining/nodeHome.ts';
import { untilAnswered } from '../../joining/untilAnswered.ts';
import { keepLog } from '../../logFile.ts';
import { ownCommand } from '../../ownCommand.ts';
import type { PodNetwork } from '../../podNetwork.ts';
import { prepareHome } from '../../prepareHome.ts';
import { programName } from '../../programName.ts';
import { ownRecord, removeServerRecord, writeServerRecord } from '../../serverRecord.ts';
import { openStarter } from '../../starter.ts';
import { stopSignal } from '../../stopSignal.ts';
import { version } from '../../version.ts';
import { leftRunningText } from '../readyText.ts';
import { nodeReadyText } from './nodeText.ts';

export interface NodeCommandOptions {
  readonly kubeconfig?: string;
  readonly home: string;
  readonly nodeName?: string;
  readonly port: number;
  /** Where the cluster reaches this node. */
  readonly address?: string;
  /** Whether a new Node keeps pods away that do not tolerate it. */
  readonly taint: boolean;
  readonly podNetwork: PodNetwork;
  readonly logFormat?: LogFormat;
  readonly logLevel?: LogLevel;
  readonly detach?: boolean;
  /** Only offers devices to the kubelet of this host. */
  readonly besideKubelet?: boolean;
  /** Where that kubelet looks for plug-ins. */
  readonly kubeletDirectory?: string;
}

/** Runs this host as a node of the cluster that its home has joined, until it is told to stop. Guests go on. */
export async function node(options: NodeCommandOptions): Promise<void> {
  const { home } = options;
  const starter = openStarter();
  if (options.detach && !starter) return (await import('../detach.ts')).detach(home, async () => {});
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const startedAt = performance.now();
  const stop = stopSignal({ endsWithLauncher: !starter });
  prepareHome(home);
  refuseServerHome(home);
  keepLog(home);
  configureLog({ format: options.logFormat ?? 'text', level: options.logLevel ?? 'info' });
  const guests = (await leftRunning(home)).guests.length;
  writeServerRecord(home, ownRecord());
  const stopping = new AbortController();
  const starting = startAsNode(options, stopping.signal);
  try {
    const running = await Promise.race([starting, stop]);
    if (typeof running === 'string') {
      stopping.abort();
      await starting.catch(() => {});
      return;
    }
    const { name, server, address, port } = running;
    writeServerRecord(home, { ...ownRecord(), port, node: { name, server, address } });
    const duration = formatDuration(performance.now() - startedAt);
    const command = ownCommand();
    console.log(nodeReadyText({ ...running, home, duration, guests, command, isDetached: starter !== undefined }));
    starter?.reportReady();
    // To a `vireo up` that has this as one of its nodes.
    if (!starter) process.send?.({ isReady: true });
    flushCompileCache();
    const reason = await Promise.race([stop, running.replaced]);
    if (typeof reason === 'string') console.log(`\nStopping on ${reason} …`);
    stopping.abort();
    await running.close();
    if (typeof reason !== 'string') throw explainOtherHost(reason, name);
    console.log(`Stopped the node ${name}. All data is kept in ${home}.`);
    const { guests: left } = await leftRunning(home);
    if (left.length > 0) console.log(leftRunningText(left.length, home, command));
  } finally {
    // What has begun before a failure would keep the process, and go on renewing.
    stopping.abort();
    removeServerRecord(home);
  }
}

interface StartedNode {
  readonly name: string;
  readonly server: string;
  readonly port: number;
  readonly address: string;
  /** Why guests are emulated; missing where KVM runs them. */
  readonly emulatedBecause?: string;
  /** Resolves if another host has become this node. */
  readonly replaced: Promise<OtherHostError>;
  close(): Promise<void>;
}

async function startAsNode(options: NodeCommandOptions, signal: AbortSignal): Promise<StartedNode> {
  const { home } = options;
  // Before anything that may wait for the server.
  await resumeFencing(home, consoleLog);
  const record = await readNodeRecord(home);
  const name = nameOf(options, record?.name);
  const hasCertificates = record !== undefined && (await areKept(home));
  const { server, token } = await findNodeServer(options, { hasCertificates, node: record?.name });
  const config = { server: server.server, certificateAuthority: server.caPem, userAgent: 'virt-handler' };
  let identity: NodeIdentity;
  try {
    const bootstrap = token && { bootstrap: token.credentials };
    identity = await openIdentity({ home, name, config, log: consoleLog, ...bootstrap }, signal);
  } finally {
    await token?.revoke();
  }
  await writeNodeRecord(home, { name });
  const failed = new AbortController();
  try {
    return await startWith(identity, name, config, options, AbortSignal.any([signal, failed.signal]));
  } catch (error) {
    // What has begun must not try again over a connection that is closed.
    failed.abort();
    await identity.close();
    throw explainOtherHost(error, name);
  }
}

async function startWith(
  identity: NodeIdentity,
  name: string,
  { server }: HttpConfig,
  options: NodeCommandOptions,
  signal: AbortSignal,
): Promise<StartedNode> {
  const { home } = options;
  const metrics = new Metrics();
  const counted = (transport: Transport): Client =>
    new Client(observedTransport(transport, metrics, new URL(server).host));
  const [kubelet, client] = [counted(identity.kubelet), counted(identity.node)];
  // Guests of an earlier start go on meanwhile.
  if ((await untilAnswered(identity.kubelet, name, signal)) === 401)
    throw new Failure(
      `the server does not accept the certificates of node ${name}: the node was deleted, or the server has another CA`,
      'To join again, run `vireo token create` on the first host, and the line that it prints here.',
    );
  const address = options.address ?? (await hostAddress());
  const resolved = await resolvableName(hostname(), address);
  const listener = await listenAsNode({ host: options.address ?? '::', port: options.port, log: consoleLog }).catch(
    (error: unknown) => {
      throw explainListenError(error, options.port);
    },
  );
  try {
    for (const problem of problemsOf(await loadPlugins(home)))
      consoleLog.warn('a hypervisor plug-in is not used', undefined, { ...problem });
    const endpoint = { address, port: listener.port, ...(resolved !== undefined && { hostname: resolved }) };
    const running = await startNode(
      {
        home,
        name,
        version,
        client,
        kubelet,
        endpoint,
        taint: options.taint,
        hypervisor: startHypervisor(home, consoleLog),
        imageCache: imageCache(home),
        podNetwork: options.podNetwork,
        metrics,
      },
      signal,
    );
    const readMetrics = () => exposition(new Map([['virt-handler', metrics]]));
    await serveWhenPermitted(
      { home, listener, node: running, ...endpoint, kubelet, client, metrics: readMetrics, log: consoleLog },
      signal,
    );
    return {
      name,
      server,
      port: listener.port,
      address,
      replaced: running.replaced,
      ...(!running.kvm.isUsable && { emulatedBecause: running.kvm.reason }),
      close: async () => {
        await running.ended;
        await listener.close();
        await identity.close();
      },
    };
  } catch (error) {
    await listener.close();
    throw error;
  }
}

/** How long to wait before a serving certificate is asked for again that was refused. */
const REFUSED_MS = 60_000;

/**
 * Serves the node's port. Where its certificate is refused, for another Node may have the same address still, VMs run all the
 * same, and it is asked for again.
 */
async function serveWhenPermitted(options: EndpointOptions, signal: AbortSignal): Promise<void> {
  try {
    await serveNode(options, signal);
  } catch (error) {
    if (!(error instanceof CertificateRefusedError)) throw error;
    const what = 'the port of the node is not served: consoles, logs and metrics of its VMs cannot be reached';
    const subject = { kind: 'Node', name: options.node.name };
    options.log.error(what, subject, { error });
    void pause(REFUSED_MS, signal)
      .then(() => (signal.aborted ? undefined : serveWhenPermitted(options, signal)))
      .catch((failure: unknown) => options.log.error(what, subject, { error: failure }));
  }
}

/** Whether both identities of the home's node are still valid. */
async function areKept(home: string): Promise<boolean> {
  const files = IDENTITY_FILES.map((name) => new CertificateFiles(nodeFiles(home).pki, name).read());
  return (await Promise.all(files)).every((kept) => kept !== undefined && kept.notAfter.getTime() > Date.now());
}

/** The certificates of a home are for one node. */
function nameOf({ nodeName, home }: NodeCommandOptions, joined: string | undefined): string {
  const name = nodeName ?? joined ?? hostname().toLowerCase();
  if (joined !== undefined && joined !== name)
    throw new Failure(
      `the home ${home} is that of node ${joined}, not of ${name}`,
      `Leave --node-name out, or use another home: --home DIRECTORY`,
    );
  return name;
}

function explainOtherHost(error: unknown, name: string): unknown {
  if (!(error instanceof OtherHostError)) return error;
  return new Failure(
    error.message,
    `Join under another name: --node-name NAME, with a home of its own. If this host replaces the other one, or was ` +
      `installed anew, delete the Node first: ${programName} node delete ${name}`,
  );
}

function explainListenError(error: unknown, port: number): unknown {
  if (errorCode(error) === 'EADDRINUSE')
    return new Failure(
      `port ${port} is in use; a kubelet or another node may run on this host`,
      'Choose another one: --port NUMBER, or --port 0 for a free one.',
    );
  if (errorCode(error) === 'EADDRNOTAVAIL')
    return new Failure('this host does not have the address of --address', 'To see those that it has: ip address');
  return error;
}
