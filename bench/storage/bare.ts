import { readFile } from 'node:fs/promises';
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { serveTasks } from '../processes.ts';

/** What a transfer costs when nothing is done with it: Node's own server and client, and every byte thrown away. */
const tasks = {
  /** Downloads. */
  fetch: (url: string): Promise<void> =>
    new Promise((resolve, reject) => {
      http.get(url, (response) => response.resume().once('end', resolve).once('error', reject)).once('error', reject);
    }),

  /** Takes uploads with the certificate of Vireo's own server; answers with the port. */
  listen: async ({ certificateFile, keyFile }: { certificateFile: string; keyFile: string }): Promise<number> => {
    const [cert, key] = await Promise.all([readFile(certificateFile), readFile(keyFile)]);
    const server = http2.createSecureServer({ allowHTTP1: true, cert, key }, (request, response) => {
      request.resume().once('end', () => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
};

export type BareTasks = typeof tasks;

serveTasks(tasks);
