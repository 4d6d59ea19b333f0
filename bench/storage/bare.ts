import { readFile } from 'node:fs/promises';
import http2 from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { serveTasks } from '../processes.ts';

const PIECE_BYTES = 1 << 20;

/** What a transfer costs when nothing is done with it, by the cheapest way that Node has, and every byte thrown away. */
const tasks = {
  /** Downloads over a plain socket into one piece of memory; nothing is parsed. */
  fetch: (url: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const { hostname: host, port, pathname } = new URL(url);
      const onread = { buffer: Buffer.allocUnsafeSlow(PIECE_BYTES), callback: () => true };
      const socket = connect({ host, port: Number(port), onread });
      socket.once('end', resolve).once('error', reject);
      socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
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
