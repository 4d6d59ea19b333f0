import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { NodeUpload } from '@vireo/kube';
import type { Dial } from '../streams/nodeConnections.ts';
import { iterateKeepingOpen } from './draining.ts';

/** What a node says of an upload that it does not take. */
class NodeRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Sends an upload to the API of a node, as it comes. */
export const uploadOverHttp =
  (dial: Dial) =>
  async ({ claim, data, totalBytes, isAsync, signal }: NodeUpload): Promise<void> => {
    const [namespace, name] = claim.split('/');
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = http.request({
      createConnection: () => dial(),
      host: 'node',
      method: 'POST',
      path: `/v1/namespaces/${namespace}/persistentvolumeclaims/${name}/upload?async=${isAsync}`,
      headers: {
        'content-type': 'application/octet-stream',
        ...(totalBytes === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': totalBytes }),
      },
      signal,
    });
    request.once('response', resolve);
    request.once('error', reject);
    const bytes = data instanceof Readable ? iterateKeepingOpen(data) : data;
    const carried = carry(bytes, request).catch((error: Error) => {
      reject(error);
      request.destroy(error);
    });
    const response = await promise;
    const message = await text(response);
    await carried;
    if (response.statusCode !== 200) throw new NodeRefusal(response.statusCode ?? 500, message);
  };

/** Hands data on as fast as it is taken, for as long as it is. */
async function carry(data: AsyncIterable<Buffer>, request: ClientRequest): Promise<void> {
  const gone = new AbortController();
  request.once('close', () => gone.abort());
  for await (const chunk of data) {
    if (gone.signal.aborted) return;
    if (!request.write(chunk)) await once(request, 'drain', { signal: gone.signal }).catch(() => {});
  }
  if (!gone.signal.aborted) request.end();
}
