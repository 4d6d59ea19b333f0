import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { httpTransport, staticCredentials, type Transport } from '@vireo/kube';
import { afterAll } from 'vitest';
import { issueClientCertificate } from '../auth/pki.ts';
import { type Calls, callsOver } from './calls.ts';
import type { TestServer } from './server.ts';

/** Calls over the network by whoever a certificate names, to the server of the test file. */
export function callsByCertificate(
  server: () => TestServer,
): (commonName: string, ...organizations: string[]) => Promise<Calls> {
  const transports: Transport[] = [];
  afterAll(() => Promise.all(transports.map((transport) => transport.close())));
  return async (commonName, ...organizations) => {
    const read = (name: string): Promise<string> => readFile(join(server().home, 'pki', name), 'utf8');
    const ca = { certPem: await read('ca.crt'), keyPem: await read('ca.key') };
    const { certPem: certificate, keyPem: key } = issueClientCertificate({ ca }, { commonName, organizations });
    const transport = httpTransport({
      server: `https://127.0.0.1:${server().server.port}`,
      certificateAuthority: ca.certPem,
      credentials: staticCredentials({ certificate, key }),
    });
    transports.push(transport);
    return callsOver(async () => transport);
  };
}
