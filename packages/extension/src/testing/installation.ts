import { join } from 'node:path';
import {
  builtinKinds,
  CustomResourceDefinition,
  isConditionTrue,
  type Kind,
  Namespace,
  type UnknownObject,
} from '@vireo/api';
import { EXPORT_PREFIX } from '@vireo/api/kinds/export/names.ts';
import { kubevirtCrds } from '@vireo/api/kinds/kubevirt/index.ts';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { Client, type Clock, Informer, Informers, type Transport } from '@vireo/kube';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { byServerInProcess } from '../authorize.ts';
import { createExtension, type Extension } from '../extension.ts';
import { STEVE_PREFIX } from '../harvester/steve/paths.ts';
import { USER } from '../identity.ts';
import type { NodeConnections } from '../streams/nodeConnections.ts';
import { Archives } from '../support/index.ts';
import { UPLOAD_PATHS } from '../uploads/endpoint.ts';

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
}: {
  nodes?: NodeConnections;
  clock?: Clock;
  /** Stands between the extension and the server. */
  through?: (transport: Transport) => Transport;
} = {}): Promise<Installation> {
  const server = await startTestServer();
  const stop = new AbortController();
  const definitions = server.client.of(CustomResourceDefinition);
  await Promise.all(kubevirtCrds().map((crd) => definitions.create(crd)));
  const known = new Informer(definitions);
  known.start(stop.signal);
  await eventually(() => known.list().length === kubevirtCrds().length && known.list().every(isEstablished));
  await server.client.of(Namespace).create({ metadata: { name: KUBEVIRT_NAMESPACE } });

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
  server.server.api.services.register(KUBEVIRT_NAMESPACE, VIRT_API_SERVICE, extension.handle);
  server.server.api.services.registerPath(STEVE_PREFIX, extension.handle);
  server.server.api.services.registerUpgrade(KUBEVIRT_NAMESPACE, VIRT_API_SERVICE, extension.upgrade);
  for (const path of UPLOAD_PATHS) server.server.api.directRoutes.add(path, extension.upload);
  server.server.api.directRoutes.addBelow(EXPORT_PREFIX, extension.download);
  for (const object of extension.objects) await server.client.of<UnknownObject>(kindOf(object)).create({ ...object });
  informers.start(stop.signal);
  await informers.whenSynced();
  return {
    server,
    extension,
    client,
    close: async () => {
      stop.abort();
      await server.close();
    },
  };
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
