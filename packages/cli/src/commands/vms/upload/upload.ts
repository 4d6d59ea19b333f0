import { access, constants } from 'node:fs/promises';
import { basename } from 'node:path';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { Failure, fileProblem } from '../../../failure.ts';
import { transferProgress } from '../../../progress/progressDisplay.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { orFail } from '../refusal.ts';
import { readUpload, type Upload, type UploadOptions } from './arguments.ts';
import { sendFile, type UploadServer } from './send.ts';
import { createDataSource, prepareTarget, removeTarget } from './target.ts';
import { Undecided, waitUntilProcessed, waitUntilReady } from './waiting.ts';

/** Uploads a disk image, or an archive of files, to a DataVolume or a claim. */
export async function imageUpload(
  type: string | undefined,
  name: string | undefined,
  options: UploadOptions & ConnectionOptions,
): Promise<void> {
  const upload = readUpload(type, name, options);
  await checkReadable(upload.file);
  await connected(options, (connection) => carryUpload(connection, upload, options));
}

/** Makes what is uploaded to, sends the file, and waits until it is a disk. */
export async function carryUpload(
  connection: Connection,
  upload: Upload,
  options: Pick<UploadOptions, 'waitSecs' | 'retry' | 'uploadproxyUrl' | 'insecure'>,
): Promise<void> {
  const madeUid = await prepareTarget(connection, upload);
  try {
    await sendTo(connection, upload, options);
  } catch (error) {
    // Half a disk is of no use, and in the way of the next try. One that may be whole yet is left.
    if (madeUid === undefined || error instanceof Undecided) throw error;
    await removeTarget(connection, upload, madeUid);
    throw error instanceof Failure ? new Failure(error.message, withoutObject(error.hint)) : error;
  }
  console.log('Processing completed successfully');
  if (upload.datasource) await createDataSource(connection, upload);
  console.log(`Uploading ${upload.file} completed successfully`);
}

/** Nobody can be sent to look at what has been deleted. */
const withoutObject = (hint: string | undefined): string | undefined =>
  hint?.includes('kubectl describe') ? undefined : hint;

/** Waits for somebody to take the file, sends it, and waits until it is a disk. */
async function sendTo(
  connection: Connection,
  upload: Upload,
  options: Pick<UploadOptions, 'waitSecs' | 'retry' | 'uploadproxyUrl' | 'insecure'>,
): Promise<void> {
  await waitUntilReady(connection, upload, options.waitSecs * 1_000);
  const server = await uploadServer(connection, options);
  console.log(`Uploading data to ${server.url}`);
  await sendFile(server, {
    file: upload.file,
    retries: options.retry,
    newToken: () => uploadToken(connection, upload.name),
    showProgress: (totalBytes) => transferProgress(`Uploading ${basename(upload.file)}`, totalBytes),
  });
  console.log(
    'Uploading data completed successfully, waiting for processing to complete, you can hit ctrl-c without interrupting the progress',
  );
  await waitUntilProcessed(connection, upload);
}

export async function checkReadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    throw new Failure(`open ${file}: ${fileProblem(error)}`, 'Choose another file.');
  }
}

/** Where uploads go: as the user says, else as the importer's settings say. */
export async function uploadServer(
  connection: Connection,
  options: Pick<UploadOptions, 'uploadproxyUrl' | 'insecure'>,
): Promise<UploadServer> {
  const { uploadproxyUrl, insecure = false } = options;
  const asked = importerConfig(connection);
  // Whoever names another way to the same server trusts it by the same CA, if that can be read.
  const config = await (uploadproxyUrl ? asked.catch(() => undefined) : asked);
  const found = uploadproxyUrl ?? config?.spec?.uploadProxyURLOverride ?? config?.status?.uploadProxyURL;
  if (!found) throw new Failure('uploadproxy URL not found', 'Set it with --uploadproxy-url URL.');
  const url = /^https?:\/\//.test(found) ? found : `https://${found}`;
  if (!URL.canParse(url)) throw new Failure(`${found} is not a URL`, 'Use https://HOST:PORT.');
  const certificateAuthority = config?.status?.uploadProxyCA ?? connection.target.certificateAuthority;
  return { url, insecure, ...(certificateAuthority && { certificateAuthority }) };
}

function importerConfig(connection: Connection): Promise<CDIConfig | undefined> {
  return orFail(
    connection,
    (why) => `cannot find the upload proxy: ${why}`,
    () => connection.client.of(CDIConfig).find('config'),
  );
}

/** A token that opens the upload of one claim, for a few minutes. */
async function uploadToken(connection: Connection, pvcName: string): Promise<string> {
  const namespace = encodeURIComponent(connection.namespace);
  const answer = await orFail(
    connection,
    (why) => `cannot get a token to upload to ${pvcName}: ${why}`,
    () =>
      connection.client.call({
        method: 'POST',
        path: `/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/${namespace}/uploadtokenrequests`,
        body: {
          apiVersion: 'upload.cdi.kubevirt.io/v1beta1',
          kind: 'UploadTokenRequest',
          metadata: { generateName: 'token-for-virtctl-', namespace: connection.namespace },
          spec: { pvcName },
        },
      }),
  );
  const token = (answer as { status?: { token?: string } }).status?.token;
  if (!token) throw new Failure(`the server gave no token to upload to ${pvcName}`);
  return token;
}
