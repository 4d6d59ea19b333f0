import {
  APIService,
  Event,
  isReason,
  type Kind,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  type UnknownObject,
} from '@vireo/api';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import { LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Client } from '@vireo/kube';
import { redact } from './redact.ts';
import type { ArchiveFile } from './zip.ts';

const OTHERS: readonly Kind[] = [
  Namespace,
  Node,
  Pod,
  Event,
  PersistentVolumeClaim,
  PersistentVolume,
  StorageClass,
  APIService,
] as readonly Kind[];

/** What everybody has who installs Vireo. */
const isStock = ({ plural }: Kind): boolean => plural.startsWith('virtualmachinecluster');

/** The kinds whose objects tell how an installation is; each in the first of its versions. Secrets are not among them. */
export const SUPPORT_KINDS: readonly Kind[] = [
  ...OTHERS,
  ...new Map(
    kubevirtKinds
      .toReversed()
      .filter((kind) => !isStock(kind))
      .map((kind) => [`${kind.group}/${kind.plural}`, kind]),
  ).values(),
];

const LOG_LINES = '5000';

/**
 * The objects of a server without what is secret in them, one file a kind, and the logs of launchers. What cannot be
 * had is left out and reported to `problems`.
 */
export async function* clusterFiles(
  client: Client,
  kinds: readonly Kind[],
  problems: (what: string) => void,
): AsyncGenerator<ArchiveFile> {
  for (const kind of kinds) {
    const { group, plural } = kind;
    const complain = (error: unknown): void =>
      problems(`${plural}${group && `.${group}`}: ${(error as Error).message}`);
    const objects = client.of<UnknownObject>(kind).listAll();
    try {
      const first = await objects.next();
      if (first.done) continue;
      const data = jsonList(first.value, objects, complain);
      yield { name: `objects/${group || 'core'}/${plural}.json`, data };
    } catch (error) {
      // A server without VMs has none of their kinds.
      if (!isReason(error, 'NotFound')) complain(error);
    }
  }
  yield* launcherLogs(client, problems);
}

/** The objects as a JSON list. Where it breaks off it is a list all the same, and `complain` is called. */
async function* jsonList(
  first: UnknownObject,
  others: AsyncIterable<UnknownObject>,
  complain: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  const text = (before: string, object: UnknownObject): Buffer =>
    Buffer.from(`${before}${JSON.stringify(redact(object), undefined, 2)}`);
  yield text('[\n', first);
  try {
    for await (const object of others) yield text(',\n', object);
  } catch (error) {
    complain(error);
  }
  yield Buffer.from('\n]\n');
}

/** What the server and its components have counted. */
export async function* metricsFile(client: Client, problems: (what: string) => void): AsyncGenerator<ArchiveFile> {
  try {
    yield { name: 'metrics.txt', data: Buffer.from(String(await client.call({ method: 'GET', path: '/metrics' }))) };
  } catch (error) {
    problems(`the metrics: ${(error as Error).message}`);
  }
}

async function* launcherLogs(client: Client, problems: (what: string) => void): AsyncGenerator<ArchiveFile> {
  const { items } = await client.of(Pod).list({ labelSelector: LAUNCHER_SELECTOR });
  for (const { metadata } of items) {
    const { name, namespace = '' } = metadata;
    try {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
      const log = await client.call({ method: 'GET', path, query: { tailLines: LOG_LINES } });
      yield { name: `logs/launchers/${namespace}/${name}.log`, data: Buffer.from(String(log)) };
    } catch (error) {
      problems(`the log of ${namespace}/${name}: ${(error as Error).message}`);
    }
  }
}
