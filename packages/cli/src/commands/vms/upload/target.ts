import { type Persisted, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { CONTENT_TYPE, POD_PHASE, UPLOAD_TARGET, USE_POPULATOR } from '@vireo/api/kinds/cdi/names.ts';
import { ignoreNotFound } from '@vireo/kube';
import { Failure } from '../../../failure.ts';
import type { Connection } from '../connection.ts';
import { orFail, reasonOf } from '../refusal.ts';
import { waitFor } from '../waitFor.ts';
import type { Upload } from './arguments.ts';
import { uploadClaim, uploadDataSource, uploadDataVolume } from './objects.ts';

/** Makes what is uploaded to, or makes sure that what there is can be used. Returns the uid of what it made. */
export async function prepareTarget(connection: Connection, upload: Upload): Promise<string | undefined> {
  const { namespace } = connection;
  const claim = await found(connection, () =>
    connection.client.of(PersistentVolumeClaim).get(upload.name, { namespace }),
  );
  if (!claim) {
    console.log(`PVC ${namespace}/${upload.name} not found `);
    if (!upload.mayCreate)
      throw new Failure(`persistentvolumeclaims "${upload.name}" not found`, 'To create it, omit --no-create.');
    return create(connection, upload);
  }
  const target = upload.resource === 'dv' ? await claimOfDataVolume(connection, upload, claim) : claim;
  checkUsable(upload, target);
  if (target.metadata.annotations?.[UPLOAD_TARGET] === undefined) await markForUpload(connection, target);
  console.log(`Using existing PVC ${namespace}/${target.metadata.name}`);
  return undefined;
}

/** How long a claim may take to go with its DataVolume. */
const REMOVAL_MS = 30_000;
const INTERVAL_MS = 250;

/** Deletes what was made for an upload that failed, and nothing else of its name: the same command can be tried again. */
export async function removeTarget(connection: Connection, upload: Upload, uid: string): Promise<void> {
  const { client, namespace } = connection;
  const { name, resource } = upload;
  const what = `${kindOf(upload)} ${namespace}/${name}`;
  const options = { namespace, preconditions: { uid } };
  try {
    await found<unknown>(connection, () =>
      resource === 'dv'
        ? client.of(DataVolume).delete(name, options)
        : client.of(PersistentVolumeClaim).delete(name, options),
    );
    const claim = () => found(connection, () => client.of(PersistentVolumeClaim).get(name, { namespace }));
    await waitFor(async () => ((await claim()) ? undefined : true), { timeoutMs: REMOVAL_MS, intervalMs: INTERVAL_MS });
    console.log(`${what} deleted: it was created for this upload, which failed`);
  } catch (error) {
    // What went wrong first is what the user has to hear.
    console.error(`${what} is left over from the upload and could not be deleted: ${reasonOf(error)}`);
    console.error(`Delete it before you try again: kubectl delete ${resource} ${name} -n ${namespace}`);
  }
}

const kindOf = ({ resource }: Upload): string => (resource === 'dv' ? 'DataVolume' : 'PersistentVolumeClaim');

/** The name under which others take VMs from the image. */
export async function createDataSource(connection: Connection, upload: Upload): Promise<void> {
  const { namespace } = connection;
  await orFail(
    connection,
    (why) => `cannot create DataSource ${namespace}/${upload.name}: ${why}`,
    () => connection.client.of(DataSource).create(uploadDataSource(upload, namespace)),
  );
  console.log(`DataSource ${namespace}/${upload.name} created`);
}

async function create(connection: Connection, upload: Upload): Promise<string> {
  const { client, namespace } = connection;
  const { size, storageClass, resource, name } = upload;
  if (!size) throw new Failure('when creating a resource, the size must be specified', 'For example: --size 10Gi');
  const { metadata } = await orFail<Persisted>(
    connection,
    (why) => why,
    async () => {
      // A class that does not exist would leave the claim pending for ever.
      if (storageClass) await client.of(StorageClass).get(storageClass);
      return resource === 'dv'
        ? client.of(DataVolume).create(uploadDataVolume(upload, size, namespace))
        : client.of(PersistentVolumeClaim).create(uploadClaim(upload, size, namespace));
    },
  );
  console.log(`${kindOf(upload)} ${namespace}/${name} created`);
  return metadata.uid;
}

/** On a claim that is filled through another one: that one's name. */
const PVC_PRIME = 'cdi.kubevirt.io/storage.populator.pvcPrime';

/** With populators the upload goes to a claim that becomes the other one's volume in the end. */
async function claimOfDataVolume(
  connection: Connection,
  { name }: Upload,
  claim: Persisted<PersistentVolumeClaim>,
): Promise<Persisted<PersistentVolumeClaim>> {
  const { client, namespace } = connection;
  const dataVolume = await found(connection, () => client.of(DataVolume).get(name, { namespace }));
  if (!dataVolume) throw new Failure(`No DataVolume is associated with the existing PVC ${namespace}/${name}`);
  if (dataVolume.metadata.annotations?.[USE_POPULATOR] !== 'true') return claim;
  if (claim.status?.phase === 'Bound') throw new Failure(`PVC ${name} already successfully populated`);
  const prime = claim.metadata.annotations?.[PVC_PRIME];
  if (!prime) throw new Failure(`Unable to get PVC Prime name from PVC ${namespace}/${name}`);
  return orFail(
    connection,
    () => `Unable to get PVC Prime ${namespace}/${name}`,
    () => client.of(PersistentVolumeClaim).get(prime, { namespace }),
  );
}

/** A claim that has its data, or is for something else, is left alone. */
function checkUsable({ name, mayCreate, isArchive }: Upload, { metadata }: PersistentVolumeClaim): void {
  const annotations = metadata.annotations ?? {};
  if (annotations[POD_PHASE] === 'Succeeded')
    throw new Failure(`PVC ${name} already successfully imported/cloned/updated`);
  if (mayCreate && annotations[UPLOAD_TARGET] === undefined)
    throw new Failure(`PVC ${name} not available for upload`, 'To use it anyway: --no-create.');
  if (isArchive && annotations[CONTENT_TYPE] !== 'archive')
    throw new Failure(`PVC ${name} doesn't have archive contentType annotation`);
}

async function markForUpload(connection: Connection, { metadata }: Persisted<PersistentVolumeClaim>): Promise<void> {
  const { client, namespace } = connection;
  await orFail(
    connection,
    (why) => `cannot mark PVC ${namespace}/${metadata.name} for upload: ${why}`,
    () =>
      client
        .of(PersistentVolumeClaim)
        .patch(metadata.name, { metadata: { annotations: { [UPLOAD_TARGET]: '' } } }, { namespace, type: 'merge' }),
  );
}

/** The object, or undefined when there is none. */
function found<T>(connection: Connection, get: () => Promise<T>): Promise<T | undefined> {
  return orFail(
    connection,
    (why) => why,
    () => get().catch(ignoreNotFound),
  );
}
