import { PersistentVolumeClaim } from '@vireo/api';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { DEFAULT_FILESYSTEM_OVERHEAD, filesystemOverheadOf } from '@vireo/api/kinds/cdi/filesystemOverhead.ts';
import { memoryDumpClaimBytes } from '@vireo/api/kinds/kubevirt/memoryDump.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { bytesQuantity } from '@vireo/api/quantity.ts';
import { ignoreAlreadyExists } from '@vireo/kube';
import { Failure } from '../../failure.ts';
import { actionPath, type Connection, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { orFail } from './refusal.ts';
import { waitFor } from './waitFor.ts';

interface DumpDownloadOptions {
  readonly output?: string;
  readonly format?: string;
  readonly insecure?: boolean;
}

interface MemoryDumpOptions extends ConnectionOptions, DumpDownloadOptions {
  readonly claimName?: string;
  readonly createClaim?: boolean;
  readonly storageClass?: string;
  readonly accessMode?: string;
}

/** Writes the memory of a guest to a claim. */
export async function getMemoryDump(name: string, options: MemoryDumpOptions): Promise<void> {
  const { claimName, createClaim = false } = options;
  if (createClaim && !claimName) throw new Failure('missing claim name', 'Set it with --claim-name.');
  checkAccessMode(options);
  await connected(options, async (connection) => {
    if (createClaim && claimName) await makeClaim(connection, name, claimName, options);
    await orFail(
      connection,
      (why) => `error dumping vm memory, ${why}`,
      () =>
        connection.client.call({
          method: 'PUT',
          path: actionPath(connection, 'virtualmachines', name, 'memorydump'),
          body: { ...(claimName && { claimName }) },
        }),
    );
    printer(options)(`Successfully submitted memory dump request of VM ${name}`);
    if (options.output) await downloadDump(connection, name, options);
  });
}

/** Downloads what was written last. */
export async function downloadMemoryDump(
  name: string,
  options: DumpDownloadOptions & ConnectionOptions,
): Promise<void> {
  if (!options.output) throw new Failure('missing outputFile to download the memory dump', 'Set it with --output.');
  await connected(options, (connection) => downloadDump(connection, name, options));
}

const WRITING_MS = 10 * 60_000;

/** Standard output may be what is downloaded. */
const printer = ({ output }: DumpDownloadOptions): ((text: string) => void) =>
  output === '-' ? console.error : console.log;

async function downloadDump(connection: Connection, name: string, options: DumpDownloadOptions): Promise<void> {
  const { client, namespace } = connection;
  const print = printer(options);
  let lastPhase = '';
  const claim = await waitFor(
    async () => {
      const { status } = await orFail(
        connection,
        (why) => why,
        () => client.of(VirtualMachine).get(name, { namespace }),
      );
      const { phase = '', claimName = '', message } = status?.memoryDumpRequest ?? {};
      if (phase === 'Completed') return claimName;
      if (phase === 'Failed')
        throw new Failure(`the memory dump of VM ${name} has failed${message ? `: ${message}` : ''}`);
      if (phase && phase !== lastPhase)
        print(`Waiting for memorydump ${claimName} to complete, current phase: ${phase}...`);
      lastPhase = phase;
      return undefined;
    },
    { timeoutMs: WRITING_MS, intervalMs: 1_000 },
  );
  if (!claim) throw new Failure(`VM ${name} has no complete memory dump`, `To create one: memory-dump get ${name}`);
  print('Memory dump completed successfully');
  const { download } = await import('./export/export.ts');
  await download(connection, `export-${name}-${claim}`, { ...options, pvc: claim, readinessTimeout: 120_000 });
}

/** Lets go of the claim, so that another can be used. */
export function removeMemoryDump(name: string, options: ConnectionOptions): Promise<void> {
  return connected(options, async (connection) => {
    await orFail(
      connection,
      (why) => `error removing memory dump association, ${why}`,
      () =>
        connection.client.call({
          method: 'PUT',
          path: actionPath(connection, 'virtualmachines', name, 'removememorydump'),
        }),
    );
    console.log(`Successfully submitted remove memory dump association of VM ${name}`);
  });
}

function checkAccessMode({ accessMode }: MemoryDumpOptions): void {
  if (accessMode === 'ReadOnlyMany')
    throw new Failure('cannot dump memory to a readonly pvc, use either ReadWriteOnce or ReadWriteMany if supported');
  if (accessMode !== undefined && !['ReadWriteOnce', 'ReadWriteMany'].includes(accessMode))
    throw new Failure('invalid access mode, use either ReadWriteOnce or ReadWriteMany if supported');
}

async function makeClaim(
  connection: Connection,
  name: string,
  claimName: string,
  { storageClass, accessMode = 'ReadWriteOnce' }: MemoryDumpOptions,
): Promise<void> {
  const { client, namespace } = connection;
  const claims = client.of(PersistentVolumeClaim);
  await orFail(
    connection,
    (why) => why,
    async () => {
      const { status } = await client.of(VirtualMachine).get(name, { namespace });
      if (status?.memoryDumpRequest)
        throw new Failure(
          'please remove current memory dump association before creating a new claim for a new memory dump',
          `To remove it: memory-dump remove ${name}`,
        );
      const vmi = await client.of(VirtualMachineInstance).get(name, { namespace });
      const storage = claimSize(vmi, await filesystemOverhead(connection, storageClass));
      const created = await claims
        .create({
          metadata: { name: claimName, namespace },
          spec: {
            accessModes: [accessMode],
            resources: { requests: { storage } },
            ...(storageClass && { storageClassName: storageClass }),
          },
        })
        .catch(ignoreAlreadyExists);
      if (!created)
        throw new Failure(
          `PVC ${namespace}/${claimName} already exists, check if it should be created if not remove create flag`,
        );
    },
  );
  console.log(`PVC ${namespace}/${claimName} created`);
}

const MIB = 1024 * 1024;

/** The size of the claim for a dump, in whole MiB; `overhead` is the share that its filesystem takes. */
export const claimSize = (vmi: Pick<VirtualMachineInstance, 'spec'>, overhead: number): string =>
  bytesQuantity(Math.ceil(memoryDumpClaimBytes(vmi, overhead) / MIB) * MIB);

async function filesystemOverhead(connection: Connection, storageClass: string | undefined): Promise<number> {
  const config = await connection.client.of(CDIConfig).find('config');
  if (!config) console.log('Using default 5.5% filesystem overhead for pvc size');
  return Number(filesystemOverheadOf(config?.status?.filesystemOverhead, storageClass) ?? DEFAULT_FILESYSTEM_OVERHEAD);
}
