import { mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Client, consoleLog, type Log, OpenStreams } from '@vireo/kube';
import { clusterInfoKubeconfig } from '@vireo/kube/joining/clusterInfo.ts';
import { hostAddress, urlHost } from '@vireo/kube/serving/hostAddress.ts';
import { writeKubeconfig } from '@vireo/kube/writeKubeconfig.ts';
import { builtinPlugins } from './admission/plugins.ts';
import { type ApiServer, createApiServer, LOOPBACK } from './apiServer.ts';
import { type AuditOptions, openAudit } from './audit/open.ts';
import { followConfiguration } from './auth/oidc/file.ts';
import { Providers } from './auth/oidc/providers.ts';
import { ensurePki } from './auth/pki.ts';
import { parseStaticTokens } from './auth/staticTokens.ts';
import { bootstrap } from './bootstrap/bootstrap.ts';
import { evictionGate } from './controllers/disruption/evictionGate.ts';
import { startControllers } from './controllers/start.ts';
import { Connections } from './http/connections.ts';
import { createIdentify } from './http/identity.ts';
import { createHttpServer } from './http/server.ts';
import { httpTransport } from './http/transport.ts';
import { upgradeTransport } from './http/upgrade.ts';
import { observeRequests } from './metrics/requests.ts';
import { addMetricsServer } from './metricsServer/index.ts';
import { type NetworkRanges, networkRanges } from './networkRanges.ts';
import { whenThere } from './registry/follow.ts';
import { requestSubject } from './requestSubject.ts';
import type { Address } from './services/resolve.ts';
import { StoreLocked } from './store/lock.ts';
import { openSqliteStore } from './store/sqlite.ts';
import { kubernetesServiceIp } from './strategies/core/allocation.ts';

export interface ServerOptions {
  /** Where everything that lasts is kept. */
  readonly home: string;
  readonly port: number;
  readonly host?: string;
  /** Further names that the server is reached by. */
  readonly extraSans?: readonly string[];
  /** Identity providers for people; missing: `authentication.yaml` of the home, if it is there. */
  readonly authenticationConfig?: string;
  /** Where the addresses of pods and Services come from; missing: as in other clusters. */
  readonly ranges?: Partial<NetworkRanges>;
  /** The audit log; missing: none. */
  readonly audit?: AuditOptions;
  readonly log?: Log;
  /** How old the answers of metrics.k8s.io may be. */
  readonly metricResolutionMs?: number;
  /** How often HorizontalPodAutoscalers act. */
  readonly autoscalerSyncPeriodMs?: number;
  readonly onStep?: (text: string, ms: number) => void;
  /**
   * Adds what the server is to be ready with: called when everything else runs, before it says that it is ready. What it
   * returns is called at the end, before the server itself stops.
   */
  readonly extend?: (api: ApiServer, step: Step, port: number) => Promise<() => Promise<void>>;
}

/** Does a part of the start, and tells how long it took. */
export type Step = <T>(text: string, action: () => Promise<T>) => Promise<T>;

export interface RunningServer {
  readonly port: number;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Ends in order: no new requests, open ones finished, everything on disk. */
  close(): Promise<void>;
  readonly closed: Promise<void>;
  /** For clients in the same process, and for what else the server is extended with. */
  readonly api: ApiServer;
}

export { StoreLocked };

/** More than the clients of any one host; beyond it, those go of whom nobody knows who they are. */
const MAX_CONNECTIONS = 4096;
const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** Starts the API server with its controllers on a home. Resolves when it is ready. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { home, host = '0.0.0.0', log = consoleLog, onStep = () => {} } = options;
  const ranges = networkRanges(options.ranges);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const step = stepper(onStep);
  const store = await step('Opening the store', () =>
    openSqliteStore({
      file: join(home, 'store.db'),
      onError: (error) => log.error('the store has failed', undefined, { error }),
    }),
  );
  const stopping = new AbortController();
  const closers: (() => Promise<void>)[] = [() => store.close()];
  try {
    const pki = await step('Preparing certificates', () =>
      ensurePki(join(home, 'pki'), {
        serviceAddress: kubernetesServiceIp(ranges.serviceCIDR),
        ...(options.extraSans && { extraSans: options.extraSans }),
      }),
    );
    let listening: Address | undefined;
    const providers = new Providers(log);
    const { authenticationConfig = join(home, 'authentication.yaml') } = options;
    const unfollow = await followConfiguration(
      { path: authenticationConfig, isRequired: options.authenticationConfig !== undefined },
      providers,
      ISSUER,
      log,
    );
    closers.push(async () => {
      unfollow();
      providers.close();
    });
    const audit = await openAudit(options.audit ?? {}, home, log);
    const auditing = audit && { auditor: audit.auditor };
    if (audit) closers.push(() => audit.close());
    const server = createApiServer({
      providers,
      ...auditing,
      store,
      pki,
      issuer: ISSUER,
      staticTokens: await readStaticTokens(join(home, 'tokens.csv')),
      plugins: builtinPlugins,
      evictionGate,
      loopback: () => listening,
    });
    closers.unshift(async () => {
      server.outbound.close();
      server.remoteNodes.close();
    });
    addMetricsServer(server, {
      log,
      ...(options.metricResolutionMs !== undefined && { resolutionMs: options.metricResolutionMs }),
    });
    audit?.observe(server.metrics);
    let isBootstrapped = false;
    server.health.add('ping', () => undefined, false);
    server.health.add('store', () => store.problem);
    server.health.add('shutdown', () => (stopping.signal.aborted ? 'the server is stopping' : undefined));
    server.health.add('bootstrap', () => (isBootstrapped ? undefined : 'not finished'));

    const streams = new OpenStreams();
    const connections = new Connections<TLSSocket>(MAX_CONNECTIONS);
    const identify = createIdentify(server.authenticator, server.authorizer, (socket) => connections.recognize(socket));
    const onError = (error: unknown, method: string, target: string): void => {
      const path = target.split('?', 1)[0] ?? '';
      log.error('a request failed', requestSubject(server.core.registry, path), { method, path, error });
    };
    const carry = httpTransport({
      ...auditing,
      handle: server.handle,
      identify,
      onError,
      observe: observeRequests(server.metrics, {
        store,
        streams,
        isServed: (...resource) => server.core.registry.find(...resource) !== undefined,
      }),
      streams,
    });
    const http = createHttpServer({
      cert: pki.server.certPem,
      key: pki.server.keyPem,
      clientCa: [pki.ca.certPem, pki.frontProxyCa.certPem],
      connections,
      onExchange: (exchange) => (server.directRoutes.find(exchange) ?? carry)(exchange),
      onUpgrade: upgradeTransport({
        ...auditing,
        handle: server.handle,
        identify,
        authorizer: server.authorizer,
        aggregation: server.aggregation,
        onError,
      }),
      onClosing: () => streams.endAll(),
    });
    const port = await step('Listening', () => http.listen(options.port, host));
    listening = { host: isIP(host) && host !== '0.0.0.0' && host !== '::' ? host : '127.0.0.1', port };
    closers.unshift(() => http.close());
    const serverAddress = await addressOf(host);
    const kubernetesService = { serverAddress, port, serviceCIDR: ranges.serviceCIDR };
    await step('Setting up roles and namespaces', async () =>
      bootstrap(new Client(server.transportFor(LOOPBACK)), server.core.lookup, {
        pki,
        ...kubernetesService,
        serviceCIDRv6: ranges.serviceCIDRv6,
      }),
    );
    const controllers = startControllers(
      server,
      {
        ...pki,
        ranges,
        clusterInfo: clusterInfoKubeconfig(`https://${urlHost(serverAddress)}:${port}`, pki.ca.certPem),
        kubernetesService,
        ...(options.autoscalerSyncPeriodMs !== undefined && { autoscalerSyncPeriodMs: options.autoscalerSyncPeriodMs }),
      },
      stopping.signal,
    );
    // A controller that waits for a server elsewhere would keep this one from ending.
    const cutOff = async (): Promise<void> => server.outbound.close();
    closers.splice(1, 0, cutOff, () => controllers.ended);
    await step('Starting controllers', async () => {
      await controllers.synced;
      // The first pod may come at once, and pods need an account.
      await whenThere(store, 'core/serviceaccounts/default/default');
    });
    if (options.extend) closers.unshift(await options.extend(server, step, port));
    isBootstrapped = true;
    const kubeconfig = join(home, 'kubeconfig');
    await writeKubeconfig(kubeconfig, {
      server: `https://127.0.0.1:${port}`,
      certificateAuthority: pki.ca.certPem,
      certificate: pki.admin.certPem,
      key: pki.admin.keyPem,
    });
    const closed = Promise.withResolvers<void>();
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closing ??= closeAll().then(closed.resolve);
      return closing;
    };
    return { port, kubeconfig, close, closed: closed.promise, api: server };
  } catch (error) {
    await closeAll();
    throw error;
  }

  /** In the order in which things depend on each other: sockets, controllers, the store. */
  async function closeAll(): Promise<void> {
    stopping.abort();
    for (const close of closers) await close();
  }
}

/** Where other hosts reach a server that listens there. */
const addressOf = (host: string): string | Promise<string> =>
  host === '0.0.0.0' || host === '::' ? hostAddress() : host;

function stepper(onStep: (text: string, ms: number) => void): Step {
  return async (text, action) => {
    const startedAt = performance.now();
    const result = await action();
    onStep(text, performance.now() - startedAt);
    return result;
  };
}

/** `token,user,uid,"group1,group2"` a line; absent on most homes. */
async function readStaticTokens(file: string) {
  try {
    return parseStaticTokens(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
