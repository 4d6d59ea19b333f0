import type { Readable } from 'node:stream';
import type { BytesResponse, ObjectResponse, StreamResponse } from './request.ts';

export const objectResponse = (
  object: unknown,
  status = 200,
  extra: Partial<Omit<ObjectResponse, 'type' | 'status'>> = {},
): ObjectResponse => ({ type: 'object', status, object: () => object, ...extra });

export const bytesResponse = (bytes: Buffer, contentType: string, status = 200): BytesResponse => ({
  type: 'bytes',
  status,
  contentType,
  bytes,
});

export const textResponse = (text: string, status = 200, contentType = 'text/plain; charset=utf-8'): BytesResponse =>
  bytesResponse(Buffer.from(text), contentType, status);

/** The status alone, without a body. */
export const emptyResponse = (status: number): BytesResponse => bytesResponse(Buffer.alloc(0), 'text/plain', status);

const MAX_BUFFERED_BYTES = 1 << 20;

/** What is read, sent as it comes and no faster than the client takes it. If reading fails, the answer is broken off. */
export const pipedResponse = (data: Readable, contentType: string, status = 200): StreamResponse => ({
  type: 'stream',
  status,
  contentType,
  start(sink) {
    data.on('data', (bytes: Buffer) => {
      sink.write({ bytes: () => bytes });
      if (sink.bufferedBytes < MAX_BUFFERED_BYTES) return;
      data.pause();
      sink.onDrain(() => data.resume());
    });
    data.once('end', () => sink.end());
    data.once('error', () => sink.fail());
    data.once('close', () => {
      if (!data.readableEnded) sink.fail();
    });
    return () => data.destroy();
  },
});

/** A file, sent as it is read. */
export const downloadResponse = (
  data: Readable,
  { filename, contentType = 'application/octet-stream' }: { filename: string; contentType?: string },
): StreamResponse => ({
  ...pipedResponse(data, contentType),
  isDownload: true,
  headers: { 'content-disposition': `attachment; filename="${filename.replace(/[^\w.-]/g, '_')}"` },
});
