import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestServer } from '@vireo/apiserver/testing/server.ts';
import { Connection } from './connection.ts';
import type { PlayedServer } from './server.ts';

/** Starts Vireo's API server in this process, with its real store, behind a socket. */
export async function startOurs(): Promise<PlayedServer> {
  const started = await startTestServer();
  const pem = (name: string): Promise<string> => readFile(join(started.home, 'pki', name), 'utf8');
  const [ca = '', cert = '', key = ''] = await Promise.all(['ca.crt', 'admin.crt', 'admin.key'].map(pem));
  const connection = new Connection(started.server.port, { ca, cert, key });
  return {
    name: 'ours',
    connection,
    output: () => '',
    async [Symbol.asyncDispose]() {
      connection.close();
      await started.close();
    },
  };
}
