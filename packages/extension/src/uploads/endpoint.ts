import { type About, announcedLength, type Exchange, type Log } from '@vireo/kube';
import { plainTextResponse } from '../plainTextResponse.ts';
import { type DeliveryParts, deliver, UploadRefusal } from './deliver.ts';
import { drain, iterateKeepingOpen } from './draining.ts';
import { formFile } from './multipart.ts';
import type { UploadTokens } from './token.ts';

export interface UploadParts extends DeliveryParts {
  readonly log: Log;
  readonly tokens: UploadTokens;
}

/** The paths that virtctl and browsers upload to; older clients name the older version. */
export const UPLOAD_PATHS: readonly string[] = ['v1beta1', 'v1alpha1'].flatMap((version) =>
  ['upload', 'upload-async', 'upload-form', 'upload-form-async'].map((name) => `/${version}/${name}`),
);

/** Takes an upload: checks its token, finds the node that has the claim's volume, and hands the data on as it comes. */
export function uploadEndpoint(parts: UploadParts): (exchange: Exchange) => void {
  return (exchange) => {
    const closed = new AbortController();
    exchange.onClose(() => closed.abort());
    serve(exchange, parts, closed.signal).then(
      (body) => respond(exchange, 200, body),
      async (error: unknown) => {
        await drain(exchange.input);
        const { status, text } = plainTextResponse(error, 'the upload', await claimOf(exchange, parts), parts.log);
        respond(exchange, status, text);
      },
    );
  };
}

const tokenOf = ({ authorization }: Exchange['headers']): string | undefined =>
  /^Bearer ([^\s]+)$/.exec(authorization ?? '')?.[1];

/** The claim that a token is for. */
async function claimOf({ headers }: Exchange, { tokens }: UploadParts): Promise<About> {
  const grant = await tokens.verify(tokenOf(headers) ?? '').catch(() => undefined);
  return grant && { kind: 'PersistentVolumeClaim', namespace: grant.namespace, name: grant.name };
}

/** Pages of any origin may upload: what counts is the token. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type, x-cdi-content-type',
  'access-control-allow-methods': 'POST, HEAD, OPTIONS',
};

function respond(exchange: Exchange, status: number, body: string): void {
  exchange.send(status, { 'content-type': 'text/plain; charset=utf-8', ...CORS }, Buffer.from(body));
}

async function serve(exchange: Exchange, parts: UploadParts, signal: AbortSignal): Promise<string> {
  const { method, headers, input } = exchange;
  const path = exchange.target.split('?', 1)[0] ?? '';
  // That the path is there is all that a probe asks.
  if (method === 'HEAD' || method === 'OPTIONS') return '';
  if (method !== 'POST') throw new UploadRefusal(404, `${method} is not supported; send uploads with POST`);
  const token = tokenOf(headers);
  if (!token) throw new UploadRefusal(400, 'the request has no token; set the header Authorization: Bearer …');
  const grant = await parts.tokens.verify(token);
  if (!grant) throw new UploadRefusal(401, 'the token is invalid or has expired; create a new UploadTokenRequest');
  const key = `${grant.namespace}/${grant.name}`;
  const isForm = path.includes('-form');
  const data = isForm ? formFile(headers['content-type'], iterateKeepingOpen(input)) : input;
  // The length of a form is not that of the file in it.
  const length = isForm ? {} : announcedLength(headers);
  await deliver({ claim: key, data, ...length, isAsync: path.endsWith('async'), signal }, parts);
  return '';
}
