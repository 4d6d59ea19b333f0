import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';

/** POSTs a file over TLS; resolves with the status of the answer. */
export async function send(
  url: string,
  file: string,
  { ca, headers = {} }: { readonly ca: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<number> {
  const length = { 'content-length': (await stat(file)).size };
  const sending = https.request(url, { method: 'POST', ca, agent: false, headers: { ...headers, ...length } });
  const answered = new Promise<number>((resolve, reject) => {
    sending.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)));
    sending.once('error', reject);
  });
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), sending);
  return answered;
}
