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
import type { Client } from '@vireo/kube';
import { redacted } from './redact.ts';
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

const LAUNCHERS = 'kubevirt.io=virt-launcher';
const LOG_LINES = '5000';

/**
 * The objects of a server without what is secret in them, one file a kind, and the logs of launchers. What cannot be
 * had is left out, and `problems` told.
 */
export async function* clusterFiles(
  client: Client,
  kinds: readonly Kind[],
  problems: (what: string) => void,
): AsyncGenerator<ArchiveFile> {
  for (const kind of kinds) {
    const { group, version, plural } = kind;
    try {
      const { items } = await client.of<UnknownObject>(kind).list();
      if (items.length === 0) continue;
      const typed = items.map((item) => ({ ...item, apiVersion: apiVersionOf(group, version), kind: kind.kind }));
      yield {
        name: `objects/${group || 'core'}/${plural}.json`,
        data: Buffer.from(JSON.stringify(typed.map(redacted), undefined, 2)),
      };
    } catch (error) {
      // A server without machines has none of their kinds.
      if (isReason(error, 'NotFound')) continue;
      problems(`${plural}${group && `.${group}`}: ${(error as Error).message}`);
    }
  }
  yield* launcherLogs(client, problems);
}

const apiVersionOf = (group: string, version: string): string => (group ? `${group}/${version}` : version);

async function* launcherLogs(client: Client, problems: (what: string) => void): AsyncGenerator<ArchiveFile> {
  const { items } = await client.of(Pod).list({ labelSelector: LAUNCHERS });
  for (const { metadata } of items) {
    const { name = '', namespace = '' } = metadata;
    try {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}/log`;
      const log = await client.call({ method: 'GET', path, query: { tailLines: LOG_LINES } });
      yield { name: `logs/launchers/${namespace}/${name}.log`, data: Buffer.from(String(log)) };
    } catch (error) {
      problems(`the log of ${namespace}/${name}: ${(error as Error).message}`);
    }
  }
}
