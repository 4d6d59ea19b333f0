import type { Readable } from 'node:stream';
import type { StreamResponse, WatchEvent } from '@vireo/kube';
import { jsonLines } from '@vireo/kube/jsonLines.ts';
import { OutboundError } from '../services/outbound/goErrors.ts';

const MAX_BYTES = 64 << 20;

/** A whole body, for a client in this process, which takes values. */
export async function collected(body: Readable, maxBytes = MAX_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw new OutboundError(`response body is larger than ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}

/** A watch as events, for a client in this process. */
export const watchEvents = (body: Readable, contentType: string): StreamResponse => ({
  type: 'stream',
  status: 200,
  contentType,
  start(sink) {
    const read = async (): Promise<void> => {
      for await (const event of jsonLines(body as AsyncIterable<Buffer>)) {
        const { type, object } = event as WatchEvent;
        sink.write({ type, object, bytes: () => Buffer.from(JSON.stringify(event)) });
      }
    };
    read().then(
      () => sink.end(),
      () => sink.fail(),
    );
    return () => body.destroy();
  },
});
