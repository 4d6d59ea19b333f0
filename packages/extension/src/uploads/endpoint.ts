import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ApiError, isReason, PersistentVolume, PersistentVolumeClaim } from '@vireo/api';
import { type Client, type Clock, pause } from '@vireo/kube';
import type { NodeConnections, NodeUpload } from '../streams/nodeConnections.ts';
import { formFile } from './multipart.ts';
import { uploadOverHttp } from './overHttp.ts';
import type { UploadTokens } from './token.ts';

/** A request on the server's port, and its answer. */
export interface UploadExchange {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly input: Readable;
  send(status: number, headers: Record<string, string>, body: Buffer): void;
  onClose(callback: () => void): void;
}

export interface UploadParts {
  readonly tokens: UploadTokens;
  readonly client: Client;
  readonly nodes: NodeConnections;
  readonly clock: Clock;
}

/** The paths that virtctl and browsers upload to; older clients name the older version. */
export const UPLOAD_PATHS: readonly string[] = ['v1beta1', 'v1alpha1'].flatMap((version) =>
  ['upload', 'upload-async', 'upload-form', 'upload-form-async'].map((name) => `/${version}/${name}`),
);

const VOLUME_WAIT_MS = 10_000;
const LOOK_MS = 500;
const DRAIN_MS = 10_000;

/** What is said to the sender. */
class Answer extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Takes an upload: checks its token, finds the node that has the claim's volume, and hands the data on as it comes. */
export function uploadEndpoint(parts: UploadParts): (exchange: UploadExchange) => void {
  return (exchange) => {
    const closed = new AbortController();
    exchange.onClose(() => closed.abort());
    serve(exchange, parts, closed.signal).then(
      (body) => answer(exchange, 200, body),
      async (error: unknown) => {
        await drained(exchange.input);
        const status = error instanceof Answer ? error.status : error instanceof ApiError ? error.code : 500;
        answer(exchange, status, error instanceof Error ? error.message : String(error));
      },
    );
  };
}

/** Pages of any origin may upload: what counts is the token. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type, x-cdi-content-type',
  'access-control-allow-methods': 'POST, HEAD, OPTIONS',
};

/** Lets the rest of what is sent pass, for a while: who sends reads no answer before. */
async function drained(input: Readable): Promise<void> {
  if (input.readableEnded || input.destroyed) return;
  input.resume();
  await finished(input, { signal: AbortSignal.timeout(DRAIN_MS), cleanup: true }).catch(() => {});
}

function answer(exchange: UploadExchange, status: number, body: string): void {
  exchange.send(status, { 'content-type': 'text/plain; charset=utf-8', ...CORS }, Buffer.from(body));
}

async function serve(exchange: UploadExchange, parts: UploadParts, signal: AbortSignal): Promise<string> {
  const { method, headers, input } = exchange;
  const path = exchange.target.split('?', 1)[0] ?? '';
  // That the path is there is all that a probe asks.
  if (method === 'HEAD' || method === 'OPTIONS') return '';
  if (method !== 'POST') throw new Answer(404, `${method} is nothing to do here: uploads are POSTed`);
  const token = /^Bearer ([^\s]+)$/.exec(headers.authorization ?? '')?.[1];
  if (!token) throw new Answer(400, 'the request has no token: Authorization: Bearer … is missing');
  const grant = parts.tokens.verify(token);
  if (!grant) throw new Answer(401, 'the token is invalid or has expired: ask for a new UploadTokenRequest');
  const key = `${grant.namespace}/${grant.name}`;
  const nodeName = await nodeOf(grant, parts, signal);
  const dial = parts.nodes(nodeName);
  if (!dial) throw new Answer(503, `node "${nodeName}", which has claim ${key}, is not known here`);
  // Whoever is refused reads why: to stop reading must not cut the connection.
  const bytes: AsyncIterable<Buffer> = input.iterator({ destroyOnReturn: false });
  const data = path.includes('-form') ? formFile(headers['content-type'], bytes) : bytes;
  const upload: NodeUpload = { claim: key, data, isAsync: path.endsWith('async'), signal };
  try {
    await (dial.upload ?? uploadOverHttp(dial))(upload);
  } catch (error) {
    const status = error instanceof Error && 'status' in error ? error.status : undefined;
    throw typeof status === 'number' ? new Answer(status, (error as Error).message) : error;
  }
  return '';
}

/** The node that has the volume of a claim. One that is about to get a volume is waited for. */
async function nodeOf(
  { namespace, name }: { namespace: string; name: string },
  { client, clock }: UploadParts,
  signal: AbortSignal,
): Promise<string> {
  const deadline = clock.now() + VOLUME_WAIT_MS;
  for (;;) {
    const claim = await client.of(PersistentVolumeClaim).get(name, { namespace }).catch(unlessFound);
    if (!claim) throw new Answer(503, `claim ${namespace}/${name} does not exist`);
    const volume =
      claim.spec?.volumeName && (await client.of(PersistentVolume).get(claim.spec.volumeName).catch(unlessFound));
    const node = volume && hostOf(volume);
    if (node) return node;
    if (clock.now() >= deadline)
      throw new Answer(503, `claim ${namespace}/${name} has no volume on a node yet; it is ${claim.status?.phase}`);
    await pause(LOOK_MS, signal, clock);
    signal.throwIfAborted();
  }
}

/** The node that a volume is on. */
export const hostOf = ({ spec }: PersistentVolume): string | undefined =>
  spec?.nodeAffinity?.required?.nodeSelectorTerms
    .flatMap(({ matchExpressions = [] }) => matchExpressions)
    .find(({ key }) => key === 'kubernetes.io/hostname')?.values?.[0];

function unlessFound(error: unknown): undefined {
  if (!isReason(error, 'NotFound')) throw error;
  return undefined;
}
