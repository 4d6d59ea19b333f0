import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { announcedLength } from '@vireo/kube';
import type { NodeVolumes } from '../volumes/index.ts';
import { UploadRefusal } from '../volumes/populate/uploads.ts';

const TIMEOUT_MS = 10_000;

/** Fills a claim with the body of a request. */
export async function takeUpload(
  request: IncomingMessage,
  response: ServerResponse,
  claim: string,
  query: URLSearchParams,
  volumes: Pick<NodeVolumes, 'upload'>,
): Promise<void> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const respond = (status: number, text: string): void => {
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  };
  try {
    await volumes.upload({
      claim,
      data: request,
      ...announcedLength(request.headers),
      isAsync: query.get('async') === 'true',
      signal: closed.signal,
    });
    respond(200, '');
  } catch (error) {
    if (!(error instanceof UploadRefusal)) throw error;
    // The rest of what is sent is let pass: who sends reads no answer before.
    request.resume();
    await finished(request, { signal: AbortSignal.timeout(TIMEOUT_MS), cleanup: true }).catch(() => {});
    respond(error.status, error.message);
  }
}
