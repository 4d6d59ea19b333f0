import { PersistentVolume, PersistentVolumeClaim, servingNodeOf } from '@vireo/api';
import { type Client, type Clock, type NodeUpload, pause } from '@vireo/kube';
import type { NodeConnections } from '../streams/nodeConnections.ts';
import { uploadOverHttp } from './overHttp.ts';

export interface DeliveryParts {
  readonly client: Client;
  readonly nodes: NodeConnections;
  readonly clock: Clock;
}

/** What is said to the sender of an upload that is not taken. */
export class UploadRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const VOLUME_WAIT_MS = 10_000;
const POLL_MS = 500;

/** Hands data for a claim to the node that has its volume. `isAwaited`: the claim is about to be made. */
export async function deliver(
  upload: NodeUpload,
  parts: DeliveryParts,
  { isAwaited = false }: { readonly isAwaited?: boolean } = {},
): Promise<void> {
  const nodeName = await nodeOf(upload, parts, isAwaited);
  const dial = parts.nodes(nodeName);
  if (!dial)
    throw new UploadRefusal(503, `node "${nodeName}", which has claim ${upload.claim}, is unknown to this server`);
  try {
    await (dial.upload ?? uploadOverHttp(dial))(upload);
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? error.status : undefined;
    throw typeof status === 'number' ? new UploadRefusal(status, (error as Error).message) : error;
  }
}

/** The node that has the volume of a claim. One that is about to get a volume is waited for. */
async function nodeOf(
  { claim: key, signal }: NodeUpload,
  { client, clock }: DeliveryParts,
  isAwaited: boolean,
): Promise<string> {
  const deadline = clock.now() + VOLUME_WAIT_MS;
  const [namespace, name = ''] = key.split('/');
  for (;;) {
    const claim = await client.of(PersistentVolumeClaim).find(name, { namespace });
    const isLate = clock.now() >= deadline;
    if (!claim && (isLate || !isAwaited)) throw new UploadRefusal(503, `claim ${key} does not exist`);
    const volume = claim?.spec?.volumeName && (await client.of(PersistentVolume).find(claim.spec.volumeName));
    const node = volume && servingNodeOf(volume);
    if (node) return node;
    if (isLate) throw new UploadRefusal(503, `claim ${key} has no volume on a node yet; it is ${claim?.status?.phase}`);
    await pause(POLL_MS, signal, clock);
    signal.throwIfAborted();
  }
}
