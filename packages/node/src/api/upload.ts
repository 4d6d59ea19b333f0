import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeVolumes } from '../volumes/index.ts';
import { UploadRefusal } from '../volumes/populate/uploads.ts';

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
  const say = (status: number, text: string): void => {
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
  };
  try {
    // Whoever is refused reads why: to stop reading must not cut the connection.
    const data = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    await volumes.upload({ claim, data, isAsync: query.get('async') === 'true', signal: closed.signal });
    say(200, '');
  } catch (error) {
    if (!(error instanceof UploadRefusal)) throw error;
    // The rest of what is sent is let pass, so that the answer is read.
    request.resume();
    say(error.status, error.message);
  }
}
