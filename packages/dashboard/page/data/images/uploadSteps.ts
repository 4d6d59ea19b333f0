import { pathOf } from '../../decisions/images/deleting.ts';
import { dataSourceFrom, dataVolumeFrom, type VolumeDraft } from '../../decisions/images/drafts.ts';
import type { DataVolume } from '../../decisions/images/objects.ts';
import { dataVolumeStanding } from '../../decisions/images/volumeStates.ts';
import type { Api } from '../api.ts';
import { deleteExactly } from '../deleteExactly.ts';
import { Refused } from '../refused.ts';
import type { Sender } from './senders.ts';
import type { Sending } from './sending.ts';
import { until } from './until.ts';

/** What the steps of an upload are about. */
export interface Target {
  readonly api: Api;
  readonly draft: VolumeDraft;
  readonly signal: AbortSignal;
}

/** The DataVolume that was made for an upload: only that one is ever waited for or deleted. */
type Uid = string | undefined;

const MOST_TOKENS = 3;

/** Makes the volume that is uploaded to; returns its uid. It is not ended half-way: nobody would know what to delete. */
export async function makeVolume({ api, draft }: Target, fileName: string): Promise<Uid> {
  const body = dataVolumeFrom(draft, { upload: {} }, fileName);
  const made = await api.request<DataVolume>('POST', pathOf('DataVolume', draft.namespace), body);
  return made.metadata.uid;
}

/** Gives the volume the name that machines are created from. */
export function makeDataSource({ api, draft, signal }: Target): Promise<unknown> {
  const path = pathOf('DataSource', draft.namespace);
  return api.request('POST', path, dataSourceFrom(draft), signal);
}

/** Deletes the volume, and waits until another of its name can be made. */
export async function removeVolume(target: Target, uid: Uid): Promise<void> {
  if (uid === undefined) return;
  const { api, draft, signal } = target;
  const path = pathOf('DataVolume', draft.namespace, draft.name);
  await deleteExactly(api, path, uid, { signal }).catch((error: unknown) => {
    // Gone, or another one of that name, which is not ours.
    if (!(error instanceof Refused) || (error.code !== 404 && error.code !== 409)) throw error;
  });
  await follow(target, (volume) => (volume?.metadata.uid === uid ? undefined : true));
}

/** Waits until the server takes data; `onReason` hears what it waits for. */
export function untilReady(target: Target, uid: Uid, onReason: (reason: string | undefined) => void): Promise<true> {
  return follow(target, (volume) => {
    if (!volume || volume.metadata.uid !== uid) return undefined;
    const { state, reason } = dataVolumeStanding(volume);
    if (state.word === 'Failed') throw new Error(reason ?? 'The volume has failed.');
    onReason(reason);
    return state.word === 'UploadReady' || undefined;
  });
}

/** Once all data is there the server makes a disk of it, and takes its time. */
export function untilProcessed(target: Target, uid: Uid): Promise<true> {
  return follow(target, (volume) => {
    if (!volume || volume.metadata.uid !== uid) throw new Error('The volume was deleted meanwhile.');
    const { state, reason } = dataVolumeStanding(volume);
    if (state.word === 'Failed') throw new Error(reason ?? 'The server could not make a disk of the data.');
    return state.word === 'Succeeded' || undefined;
  });
}

/** Sends the file; a token that the server does not take any more is replaced. */
export async function sendFile(
  target: Target,
  sender: Sender,
  sending: Omit<Sending, 'token' | 'signal'>,
): Promise<void> {
  for (let tokens = 1; ; tokens += 1) {
    const token = await uploadToken(target);
    try {
      return await sender.send({ ...sending, token, signal: target.signal });
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 401 || tokens >= MOST_TOKENS) throw error;
    }
  }
}

async function uploadToken({ api, draft: { namespace, name }, signal }: Target): Promise<string> {
  const path = `/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/uploadtokenrequests`;
  const wanted = {
    apiVersion: 'upload.cdi.kubevirt.io/v1beta1',
    kind: 'UploadTokenRequest',
    metadata: { generateName: 'dashboard-', namespace },
    spec: { pvcName: name },
  };
  const { status } = await api.request<{ status?: { token?: string } }>('POST', path, wanted, signal);
  if (!status?.token) throw new Error(`The server gave no token to upload to ${name}.`);
  return status.token;
}

/** Why an upload failed. A cut says nothing, but the volume may know. */
export async function whyFailed({ api, draft, signal }: Target, error: unknown, uid: Uid): Promise<string> {
  const words = wordsOf(error);
  if (error instanceof Refused || uid === undefined) return words;
  const path = pathOf('DataVolume', draft.namespace, draft.name);
  const volume = await api.request<DataVolume>('GET', path, undefined, signal).catch(() => undefined);
  const said = volume?.metadata.uid === uid ? dataVolumeStanding(volume).reason : undefined;
  return said && !words.includes(said) ? `${words} The server says: ${said}` : words;
}

export function wordsOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'NotReadableError')
    return 'The file cannot be read any more: it was changed, moved or deleted.';
  // That is all that browsers tell.
  if (error instanceof TypeError) return 'The connection was cut.';
  return error instanceof Error ? error.message : String(error);
}

function follow<Result>(
  { api, draft: { namespace, name }, signal }: Target,
  decide: (volume: DataVolume | undefined) => Result | undefined,
): Promise<Result> {
  const collection = pathOf('DataVolume', namespace);
  return until<DataVolume, Result>(api, { collection, name }, decide, signal);
}
