import { join } from 'node:path';
import {
  APIService,
  builtinKinds,
  CustomResourceDefinition,
  isConditionTrue,
  type Kind,
  type KubeObject,
  Namespace,
  type UnknownObject,
} from '@vireo/api';
import { EXPORT_PREFIX } from '@vireo/api/kinds/export/names.ts';
import { kubevirtCrds } from '@vireo/api/kinds/kubevirt/index.ts';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { testAuthority } from '@vireo/apiserver/testing/certificates.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { Client, type Clock, Informer, Informers, type Transport } from '@vireo/kube';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { byServerInProcess } from '../authorize.ts';
import { createExtension, type Extension } from '../extension.ts';
import { STEVE_PREFIX } from '../harvester/steve/paths.ts';
import { USER } from '../identity.ts';
import { installObjects } from '../install/objects.ts';
import { EXTENSION_SERVER_NAME, externalService, remoteRights } from '../install/remote.ts';
import { ASKS_EXTENSION, reachExtension } from '../remote/reach.ts';
import { serveExtension } from '../remote/serve.ts';
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
  close(): Promise<void>;
}

/** A real server with the kinds of KubeVirt and the extension, installed by its own objects as on a cluster. */
export async function install({
  nodes = () => undefined,
  clock,
  through = (transport) => transport,
  carrier = testCarrier(),
}: {
  nodes?: NodeConnections;
  clock?: Clock;
  /** Stands between the extension and the server. */
  through?: (transport: Transport) => Transport;
  /** How the server and the extension reach each other; default: as the lane of the tests says. */
  carrier?: Carrier;
} = {}): Promise<Installation> {
  const server = await startTestServer();
  const stop = new AbortController();
  const definitions = server.client.of(CustomResourceDefinition);
  await Promise.all(kubevirtCrds().map((crd) => definitions.create(crd)));
  const known = new Informer(definitions);
  known.start(stop.signal);
  await eventually(() => known.list().length === kubevirtCrds().length && known.list().every(isEstablished));
  await server.client.of(Namespace).create({ metadata: { name: KUBEVIRT_NAMESPACE } });

  const parts = { server, nodes, clock, through, signal: stop.signal };
  const { extension, client, close } = await (carrier === 'remote' ? installRemote(parts) : installInProcess(parts));
  return {
    server,
    extension,
    client,
    close: async () => {
      await close();
      stop.abort();
      await server.close();
    },
  };
}

type Parts = Required<Pick<NonNullable<Parameters<typeof install>[0]>, 'nodes' | 'through'>> & {
  readonly server: TestServer;
  readonly clock: Clock | undefined;
  readonly signal: AbortSignal;
};

type Installed = Pick<Installation, 'extension' | 'client' | 'close'>;

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
  services.registerPath(STEVE_PREFIX, extension.handle);
  services.registerUpgrade(KUBEVIRT_NAMESPACE, VIRT_API_SERVICE, extension.upgrade);
  for (const path of UPLOAD_PATHS) directRoutes.add(path, extension.upload);
  directRoutes.addBelow(EXPORT_PREFIX, extension.download);
  await create(server, extension.objects);
  informers.start(signal);
  await informers.whenSynced();
  return { extension, client, close: async () => {} };
}

/** The extension behind network webhooks and APIServices, as an account of its own; only the process is the same. */
async function installRemote({ server, nodes, clock, through, signal }: Parts): Promise<Installed> {
  await create(server, [
    ...installObjects().filter((object) => !ASKS_EXTENSION.includes(object.kind)),
    externalService('localhost'),
    ...remoteRights(),
  ]);
  const client = new Client(through(await accountTransport(server)));
  const authority = testAuthority();
  const { certPem: cert, keyPem: key } = authority.serverFor(EXTENSION_SERVER_NAME);
  const served = await serveExtension(
    {
      client,
      nodes,
      clock,
      asUser: (user) => new Client(server.inProcess(user)),
      support: { archives: new Archives(join(server.home, 'archives')) },
      host: '127.0.0.1',
      port: 0,
      cert,
      key,
    },
    signal,
  );
  const { port } = served;
  const caBundle = Buffer.from(authority.caPem).toString('base64');
  reachExtension(server.server.api, { port, caBundle: authority.caPem });
  await create(
    server,
    installObjects({ port, caBundle }).filter(({ kind }) => ASKS_EXTENSION.includes(kind)),
  );
  await untilAvailable(server);
  return { extension: served.extension, client, close: () => served.close() };
}

/** The extension's own ServiceAccount, over HTTPS. */
async function accountTransport(server: TestServer): Promise<Transport> {
  const [, , namespace, account] = USER.username.split(':');
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  const { body } = await server.inProcess().call({ method: 'POST', path, body: { spec: {} } });
  return server.overHttp({ token: (body as { status: { token: string } }).status.token });
}

async function untilAvailable({ client }: TestServer): Promise<void> {
  const own = installObjects().filter(({ kind }) => kind === APIService.kind);
  const known = new Informer(client.of(APIService));
  const stop = new AbortController();
  known.start(stop.signal);
  await eventually(() =>
    own.every(({ metadata }) => isConditionTrue(known.get(metadata.name ?? '') ?? {}, 'Available')),
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
