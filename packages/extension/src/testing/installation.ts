import { join } from 'node:path';
import {
  APIService,
  builtinKinds,
  CustomResourceDefinition,
  isConditionTrue,
  type Kind,
  type KubeObject,
  MutatingWebhookConfiguration,
  Namespace,
  type UnknownObject,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { EXPORT_PREFIX } from '@vireo/api/kinds/export/names.ts';
import { kubevirtCrds } from '@vireo/api/kinds/kubevirt/index.ts';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { Client, type Clock, Informer, Informers, type Transport } from '@vireo/kube';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { byServerInProcess } from '../authorize.ts';
import { createExtension, type Extension } from '../extension.ts';
import { STEVE_ROOT } from '../harvester/steve/paths.ts';
import { USER } from '../identity.ts';
import { clusterObjects, impersonationObjects } from '../install/cluster.ts';
import { installObjects } from '../install/objects.ts';
import { ASKS_EXTENSION, reachExtension } from '../remote/reach.ts';
import { type ServedExtension, type ServeOptions, serveExtension } from '../remote/serve.ts';
import type { NodeConnections } from '../streams/nodeConnections.ts';
import { Archives } from '../support/index.ts';
import { UPLOAD_PATHS } from '../uploads/endpoint.ts';

/** Whether the server calls the extension as a function, or over the network. */
export type Carrier = 'inProcess' | 'remote';

/** The lane of the tests: `VIREO_TEST_EXTENSION=remote` has all of them reach the extension over the network. */
export const testCarrier = ({ VIREO_TEST_EXTENSION: lane }: NodeJS.ProcessEnv = process.env): Carrier =>
  lane === 'remote' ? 'remote' : 'inProcess';

export interface Installation {
  readonly server: TestServer;
  readonly extension: Extension;
  /** Of the extension itself. */
  readonly client: Client;
  /** Where it listens, if it is reached over the network. */
  readonly port?: number;
  close(): Promise<void>;
}

/** A real server with the kinds of KubeVirt and the extension, installed by its own objects as on a cluster. */
export async function install({
  nodes = () => undefined,
  clock,
  through = (transport) => transport,
  carrier = testCarrier(),
  serve = {},
}: {
  nodes?: NodeConnections;
  clock?: Clock;
  /** Stands between the extension and the server. */
  through?: (transport: Transport) => Transport;
  /** How the server and the extension reach each other; default: as the lane of the tests says. */
  carrier?: Carrier;
  /** Of an extension that is reached over the network. */
  serve?: Pick<ServeOptions, 'lifetimes' | 'certificateClock'>;
} = {}): Promise<Installation> {
  const server = await startTestServer();
  const stop = new AbortController();
  const definitions = server.client.of(CustomResourceDefinition);
  await Promise.all(kubevirtCrds().map((crd) => definitions.create(crd)));
  const known = new Informer(definitions);
  known.start(stop.signal);
  await eventually(() => known.list().length === kubevirtCrds().length && known.list().every(isEstablished));
  await server.client.of(Namespace).create({ metadata: { name: KUBEVIRT_NAMESPACE } });

  const parts = { server, nodes, clock, through, serve, signal: stop.signal };
  const { close, ...installed } = await (carrier === 'remote' ? installRemote(parts) : installInProcess(parts));
  return {
    server,
    ...installed,
    close: async () => {
      await close();
      stop.abort();
      await server.close();
    },
  };
}

type Parts = Required<Pick<NonNullable<Parameters<typeof install>[0]>, 'nodes' | 'through' | 'serve'>> & {
  readonly server: TestServer;
  readonly clock: Clock | undefined;
  readonly signal: AbortSignal;
};

type Installed = Pick<Installation, 'extension' | 'client' | 'port' | 'close'>;

async function installInProcess({ server, nodes, clock, through, signal }: Parts): Promise<Installed> {
  const { services, directRoutes } = server.server.api;
  const client = new Client(through(server.inProcess(USER)));
  const informers = new Informers(client);
  const extension = createExtension({
    client,
    informers,
    nodes,
    clock,
    authorize: byServerInProcess(client),
    asUser: (user) => new Client(server.inProcess(user)),
    support: { archives: new Archives(join(server.home, 'archives')) },
  });
  services.register(KUBEVIRT_NAMESPACE, VIRT_API_SERVICE, extension.handle);
  services.registerPath(STEVE_ROOT, extension.handle);
  services.registerPathUpgrade(STEVE_ROOT, extension.upgrade);
  services.registerUpgrade(KUBEVIRT_NAMESPACE, VIRT_API_SERVICE, extension.upgrade);
  for (const path of UPLOAD_PATHS) directRoutes.add(path, extension.upload);
  directRoutes.addBelow(EXPORT_PREFIX, extension.download);
  await create(server, extension.objects);
  informers.start(signal);
  await informers.whenSynced();
  return { extension, client, close: async () => {} };
}

/** The extension behind network webhooks and APIServices, as an account of its own; only the process is the same. */
async function installRemote({ server, nodes, clock, through, serve, signal }: Parts): Promise<Installed> {
  await create(server, [
    ...installObjects().filter((object) => !ASKS_EXTENSION.includes(object.kind)),
    ...clusterObjects(),
    ...impersonationObjects(),
  ]);
  const client = new Client(through(await accountTransport(server)));
  const served = await serveInstance(server, { client, nodes, clock, ...serve }, signal);
  reachExtension(server.server.api);
  await create(
    server,
    installObjects().filter(({ kind }) => ASKS_EXTENSION.includes(kind)),
  );
  await untilAvailable(server);
  return { extension: served.extension, client, port: served.port, close: () => served.close() };
}

/** An instance of the extension in this process that the server reaches over the network. */
export const serveInstance = (
  server: TestServer,
  options: Pick<ServeOptions, 'client'> & Partial<ServeOptions>,
  signal: AbortSignal,
  name = 'test',
): Promise<ServedExtension> =>
  serveExtension(
    {
      asUser: (user) => new Client(server.inProcess(user)),
      support: { archives: new Archives(join(server.home, 'archives')) },
      host: '127.0.0.1',
      port: 0,
      instance: { name, holder: `${name}-process`, address: '127.0.0.1' },
      directory: join(server.home, name),
      // Tests change the rights of users, and look at once.
      reviewLifetimeMs: 0,
      ...options,
    },
    signal,
  );

/** The extension's own ServiceAccount, over HTTPS. */
export async function accountTransport(server: TestServer): Promise<Transport> {
  const [, , namespace, account] = USER.username.split(':');
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const { body } = await server.inProcess().call({ method: 'POST', path, body: { spec: {} } });
  return server.overHttp({ token: (body as { status: { token: string } }).status.token });
}

/** Resolves when the server reaches all of the extension's APIs, and trusts those who answer its webhooks. */
async function untilAvailable({ client }: TestServer): Promise<void> {
  const own = installObjects().filter(({ kind }) => kind === APIService.kind);
  const stop = new AbortController();
  const informers = new Informers(client);
  const known = informers.for(APIService);
  const configurations = [
    informers.for(MutatingWebhookConfiguration),
    informers.for(ValidatingWebhookConfiguration),
  ] as const;
  informers.start(stop.signal);
  const webhooks = () => configurations.flatMap((each) => each.list()).flatMap(({ webhooks = [] }) => webhooks);
  await eventually(
    () =>
      own.every(({ metadata }) => isConditionTrue(known.get(metadata.name ?? '') ?? {}, 'Available')) &&
      webhooks().length > 0 &&
      webhooks().every(({ clientConfig }) => clientConfig.caBundle !== undefined),
  );
  stop.abort();
}

async function create({ client }: TestServer, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) await client.of<UnknownObject>(kindOf(object)).create({ ...object });
}

const isEstablished = (crd: CustomResourceDefinition): boolean => isConditionTrue(crd, 'Established');

function kindOf({ apiVersion, kind }: { apiVersion: string; kind: string }): Kind {
  const kinds: readonly Kind[] = builtinKinds;
  const found = kinds.find(
    (each) => each.kind === kind && apiVersion === [each.group, each.version].filter(Boolean).join('/'),
  );
  if (!found) throw new TypeError(`${apiVersion} ${kind} is not a built-in kind`);
  return found;
}
