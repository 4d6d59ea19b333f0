import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { isReason, Secret } from '@vireo/api';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { ignoreAlreadyExists, ignoreNotFound } from '@vireo/kube';
import { Failure } from '../../../failure.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { orFail } from '../refusal.ts';
import { waitFor } from '../waitFor.ts';
import { fetchText, fetchTo } from './fetchFile.ts';
import { type LinkOptions, linksOf, manifestDownload, type SourceOptions, sourceOf, volumeDownload } from './source.ts';

interface CreateOptions extends SourceOptions {
  readonly ttl?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface DownloadOptions extends CreateOptions, LinkOptions {
  readonly output?: string;
  readonly format?: string;
  readonly insecure?: boolean;
  readonly keepVme?: boolean;
  readonly deleteVme?: boolean;
  readonly manifest?: boolean;
  readonly includeSecret?: boolean;
  readonly manifestOutputFormat?: string;
  readonly readinessTimeout: number;
  readonly retry?: number;
}

const REQUIRED = 'need to specify export kind when attempting to create a VirtualMachineExport [--vm|--snapshot|--pvc]';

/** Offers disks of a VM, a snapshot or a claim for download. */
export function createExport(name: string, options: CreateOptions & ConnectionOptions): Promise<void> {
  if (!sourceOf(options)) throw new Failure(REQUIRED);
  return connected(options, async (connection) => {
    await create(connection, name, options);
    console.log(`VirtualMachineExport '${connection.namespace}/${name}' created succesfully`);
  });
}

/** Ends the offer. */
export function deleteExport(name: string, options: ConnectionOptions): Promise<void> {
  return connected(options, (connection) => remove(connection, name));
}

/** Downloads a disk or the manifests; without an offer one is made, and goes afterwards. */
export async function downloadExport(name: string, options: DownloadOptions & ConnectionOptions): Promise<void> {
  checkDownload(options);
  await connected(options, (connection) => download(connection, name, options));
}

/** The same over a connection that there is already. */
export async function download(connection: Connection, name: string, options: DownloadOptions): Promise<void> {
  const isOurs = sourceOf(options) !== undefined;
  if (isOurs) {
    await create(connection, name, options).catch((error) => {
      if (!(error instanceof Failure && isReason(error.cause, 'AlreadyExists'))) throw error;
    });
  }
  try {
    const exported = await untilReady(connection, name, options);
    const token = await tokenOf(connection, exported);
    await fetchParts(exported, token, options);
  } finally {
    const goes = options.deleteVme || (isOurs && !options.keepVme && !options.manifest);
    if (goes) await remove(connection, name);
  }
}

function checkDownload({ manifest, volume, pvc, format, output, manifestOutputFormat }: DownloadOptions): void {
  if (format !== undefined && !['gzip', 'raw'].includes(format))
    throw new Failure('invalid value specified with --format, supported values: gzip/raw');
  if (!manifest && !output)
    throw new Failure(
      "warning: Binary output can mess up your terminal. Use '--output -' to output into stdout anyway or consider '--output <FILE>' to save to a file",
    );
  if (manifest && volume) throw new Failure('flag --volume is incompatible with --manifest');
  if (manifest && pvc) throw new Failure('flag --pvc is incompatible with --manifest');
  if (manifestOutputFormat && !['json', 'yaml'].includes(manifestOutputFormat.toLowerCase()))
    throw new Failure('invalid value specified with --manifest-output-format, supported values: json/yaml');
}

async function fetchParts(exported: VirtualMachineExport, token: string, options: DownloadOptions): Promise<void> {
  const { insecure = false, serviceUrl, retry: retries = 0 } = options;
  const output = options.output === '-' ? undefined : options.output;
  if (options.manifest) {
    const accept = options.manifestOutputFormat?.toLowerCase() === 'json' ? 'application/json' : 'application/yaml';
    const types = options.includeSecret ? (['all', 'auth-header-secret'] as const) : (['all'] as const);
    const texts: string[] = [];
    for (const type of types)
      texts.push(await fetchText(manifestDownload(exported, type, serviceUrl), { token, insecure, accept, retries }));
    if (output === undefined) process.stdout.write(texts.join(''));
    else await writeFile(output, texts.join(''), { mode: 0o600 });
    return;
  }
  const from = volumeDownload(exported, options);
  await fetchTo(output, from, {
    token,
    insecure,
    retries,
    decompress: options.format === 'raw' && from.isCompressed,
  });
  if (output !== undefined) console.log('Download finished succesfully');
}

async function create(connection: Connection, name: string, options: CreateOptions): Promise<void> {
  const { client, namespace } = connection;
  const source = sourceOf(options);
  if (!source) throw new Failure(REQUIRED);
  const tokenSecretRef = `secret-${name}`;
  const created = await orFail(
    connection,
    (why) => `cannot create VirtualMachineExport '${namespace}/${name}': ${why}`,
    () =>
      client.of(VirtualMachineExport).create({
        metadata: {
          name,
          namespace,
          ...(options.labels && { labels: { ...options.labels } }),
          ...(options.annotations && { annotations: { ...options.annotations } }),
        },
        spec: { source, tokenSecretRef, ...(options.ttl && { ttlDuration: options.ttl }) },
      }),
  );
  const owner = { apiVersion: 'export.kubevirt.io/v1', kind: 'VirtualMachineExport', controller: true };
  const ownerReferences = [{ ...owner, name, uid: created.metadata.uid }];
  await orFail(
    connection,
    (why) => `cannot create the secret ${tokenSecretRef}: ${why}`,
    () =>
      client
        .of(Secret)
        .create({
          metadata: { name: tokenSecretRef, namespace, ownerReferences },
          type: 'Opaque',
          stringData: { token: randomBytes(15).toString('base64url') },
        })
        .catch(ignoreAlreadyExists),
  );
}

async function remove(connection: Connection, name: string): Promise<void> {
  const { client, namespace } = connection;
  const deleted = await orFail(
    connection,
    (why) => `cannot delete VirtualMachineExport '${namespace}/${name}': ${why}`,
    () => client.of(VirtualMachineExport).delete(name, { namespace }).catch(ignoreNotFound),
  );
  const end = deleted ? 'deleted succesfully' : 'does not exist';
  // Standard output may be what is downloaded.
  console.error(`VirtualMachineExport '${namespace}/${name}' ${end}`);
}

async function untilReady(
  connection: Connection,
  name: string,
  options: DownloadOptions,
): Promise<VirtualMachineExport> {
  const { client, namespace } = connection;
  let lastMessage: string | undefined;
  let skippedAtMs: number | undefined;
  const ready = await waitFor(
    async () => {
      const exported = await orFail(
        connection,
        (why) => `unable to get '${namespace}/${name}' VirtualMachineExport: ${why}`,
        () => client.of(VirtualMachineExport).get(name, { namespace }),
      );
      if (exported.status?.phase === 'Ready' && linksOf(exported, options.serviceUrl)) return exported;
      const why = exported.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'False');
      skippedAtMs = exported.status?.phase === 'Skipped' ? (skippedAtMs ?? Date.now()) : undefined;
      const graceMs = isNotFound(why?.reason) ? ARRIVAL_MS : 0;
      if (skippedAtMs !== undefined && Date.now() - skippedAtMs >= graceMs) throw nothingToExport(exported, why);
      if (lastMessage === undefined) console.error(`waiting for VM Export ${name} status to be ready...`);
      if (why?.message && why.message !== lastMessage) console.error(why.message);
      lastMessage = why?.message ?? lastMessage ?? '';
      return undefined;
    },
    { timeoutMs: options.readinessTimeout, intervalMs: 250 },
  );
  if (ready) return ready;
  throw new Failure(
    `VirtualMachineExport '${namespace}/${name}' is not ready${lastMessage ? `: ${lastMessage}` : ''}`,
    `To see why: kubectl describe vmexport ${name} -n ${namespace}. To wait longer: --readiness-timeout.`,
  );
}

/** What was created just now may not have reached the controller that looks for it. */
const ARRIVAL_MS = 3_000;

const isNotFound = (reason = ''): boolean => reason.endsWith('NotFound');

const nothingToExport = ({ metadata, spec }: VirtualMachineExport, why: { message?: string } | undefined): Failure => {
  const { kind, name } = spec.source;
  const hint =
    kind === 'VirtualMachine'
      ? `Only disks on claims and DataVolumes can be exported. To see its disks: kubectl get vm ${name} -o yaml. To export only its manifests: vireo objectgraph ${name} -o manifests`
      : undefined;
  return new Failure(
    `nothing to export for ${metadata.name}: ${why?.message ?? `${kind} ${name} has no volumes`}`,
    hint,
  );
};

async function tokenOf(connection: Connection, { status, spec }: VirtualMachineExport): Promise<string> {
  const name = status?.tokenSecretRef ?? spec.tokenSecretRef ?? '';
  const { data = {} } = await orFail(
    connection,
    (why) => `cannot read the token of the export: ${why}`,
    () => connection.client.of(Secret).get(name, { namespace: connection.namespace }),
  );
  return Buffer.from(data.token ?? '', 'base64').toString();
}
