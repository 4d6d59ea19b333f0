import { Event, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { POD_PHASE, POD_READY, PROGRESS, RUNNING_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import { Failure, TIMED_OUT } from '../../../failure.ts';
import { progressDisplay } from '../../../progress/progressDisplay.ts';
import type { Connection } from '../connection.ts';
import { orFail, reasonOf } from '../refusal.ts';
import { waitFor } from '../waitFor.ts';
import type { Upload } from './arguments.ts';

const INTERVAL_MS = 1_000;
const PROCESSING_MS = 24 * 3_600_000;

/** Nothing is known to have failed: time was up, or the server could not be asked. */
export class Undecided extends Failure {}

/** Waits until somebody stands ready to take the data. */
export async function waitUntilReady(connection: Connection, upload: Upload, timeoutMs: number): Promise<void> {
  let isTold = false;
  const ready = await waitFor(
    async () => {
      if (await isReady(connection, upload)) return true;
      await failOnEvents(connection, upload);
      if (!isTold) console.log(`Waiting for PVC ${upload.name} upload pod to be ready...`);
      isTold = true;
      return undefined;
    },
    { timeoutMs, intervalMs: INTERVAL_MS },
  );
  if (!ready)
    throw new Undecided(
      `timed out waiting for ${upload.name} to be ready for upload`,
      `To see why: kubectl describe ${upload.resource} ${upload.name} -n ${connection.namespace}. To wait longer: --wait-secs.`,
      { exitCode: TIMED_OUT },
    );
  if (isTold) console.log('Pod now ready');
}

async function isReady(connection: Connection, { resource, name, forceBind }: Upload): Promise<boolean> {
  if (resource === 'pvc') return (await annotationsOf(connection, name))[POD_READY] === 'true';
  const { client, namespace } = connection;
  const { status } = await asked(connection, () => client.of(DataVolume).get(name, { namespace }));
  const phase = status?.phase;
  if (!forceBind && (phase === 'WaitForFirstConsumer' || phase === 'PendingPopulation'))
    throw new Failure(
      `cannot upload to DataVolume in ${phase} phase, make sure the PVC is Bound, or use force-bind flag`,
    );
  if (phase === 'Failed') throw new Failure(`DataVolume ${name} has failed`, `To see why: kubectl describe dv ${name}`);
  return phase === 'UploadReady';
}

/** What will not mend itself ends the waiting. */
const FATAL: Readonly<Record<string, string>> = {
  ProvisioningFailed: 'Provisioning failed',
  ErrClaimNotValid: 'Claim not valid',
};

async function failOnEvents(connection: Connection, { name, resource }: Upload): Promise<void> {
  const { client, namespace } = connection;
  const { items } = await asked(connection, () =>
    client.of(Event).list({ namespace, fieldSelector: `involvedObject.name=${name}` }),
  );
  const fatal = items.filter(({ reason = '', message = '' }) => FATAL[reason] && !message.includes('been modified'));
  if (fatal.length === 0) return;
  // Events outlive what they are about: those of an earlier try say nothing of this one.
  const dataVolume = resource === 'dv' ? [client.of(DataVolume).get(name, { namespace })] : [];
  const objects = await Promise.allSettled([client.of(PersistentVolumeClaim).get(name, { namespace }), ...dataVolume]);
  const uids = objects.flatMap((each) => (each.status === 'fulfilled' ? [each.value.metadata.uid] : []));
  const own = fatal.find(({ involvedObject }) => involvedObject.uid && uids.includes(involvedObject.uid));
  if (own) throw new Failure(`${FATAL[own.reason ?? '']}: ${own.message}`);
}

/** Waits until the data has become a disk. */
export async function waitUntilProcessed(
  connection: Connection,
  { name, resource }: Pick<Upload, 'name' | 'resource'>,
): Promise<void> {
  const look = `kubectl describe ${resource} ${name} -n ${connection.namespace}`;
  const display = progressDisplay();
  const end = await waitFor(
    async () => {
      const annotations = await annotationsOf(connection, name).catch((error: unknown) => {
        const message = `all data was uploaded to ${name}, but its state cannot be read from the server`;
        throw new Undecided(
          `${message}: ${reasonOf(error)}`,
          `It continues in the background. To see its state: ${look}`,
        );
      });
      display.update({ label: `Processing ${name}`, share: shareOf(annotations[PROGRESS]) });
      const phase = annotations[POD_PHASE];
      return phase === 'Succeeded' || phase === 'Failed' ? { phase, message: annotations[RUNNING_MESSAGE] } : undefined;
    },
    { timeoutMs: PROCESSING_MS, intervalMs: INTERVAL_MS },
  ).finally(() => display.clear());
  if (end?.phase === 'Succeeded') return;
  if (!end)
    throw new Undecided(
      'Timed out waiting for post upload processing to complete, please check upload pod status for progress',
      `It continues in the background. To see its state: ${look}`,
      { exitCode: TIMED_OUT },
    );
  const cause = end.message ? `: ${end.message}` : '';
  throw new Failure(
    `the server could not create a disk from the data uploaded to ${name}${cause}`,
    `For details: ${look}`,
  );
}

/** `42.50%` as a share of one. */
const shareOf = (percent: string | undefined): number | undefined =>
  percent?.endsWith('%') ? Number.parseFloat(percent) / 100 : undefined;

async function annotationsOf(connection: Connection, name: string): Promise<Readonly<Record<string, string>>> {
  const { client, namespace } = connection;
  // A DataVolume's claim takes a moment to appear.
  const claim = await asked(connection, () => client.of(PersistentVolumeClaim).find(name, { namespace }));
  return claim?.metadata.annotations ?? {};
}

const asked = <T>(connection: Connection, request: () => Promise<T>): Promise<T> =>
  orFail(connection, (why) => why, request).catch((error: unknown) => {
    throw error instanceof Failure ? new Undecided(error.message, error.hint, { cause: error.cause }) : error;
  });
