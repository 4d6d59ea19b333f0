import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { httpTransport, type IssuedCertificate, RotatingCertificate } from '@vireo/kube';
import { newKey } from '@vireo/kube/certificates/request.ts';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { expect, it } from 'vitest';
import { startTestServer } from '../testing/server.ts';

const LIFE_MS = 3_000;
const ROTATIONS = 2;

it('a certificate that is about to end is replaced without a failed request', async () => {
  const server = await startTestServer();
  const read = (name: string) => readFile(join(server.home, 'pki', name), 'utf8');
  const [certPem, keyPem] = [await read('ca.crt'), await read('ca.key')];
  const issue = async (): Promise<IssuedCertificate> => {
    const key = newKey();
    // Certificates have no milliseconds.
    const notAfter = new Date(Math.ceil((Date.now() + LIFE_MS) / 1000) * 1000);
    const request = { commonName: 'jane', use: 'client' as const, notBefore: new Date(Date.now() - 60_000), notAfter };
    return {
      certPem: issueCertificate(request, key, { certPem, key: createPrivateKey(keyPem) }),
      keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      notAfter,
    };
  };
  const stopping = new AbortController();
  const directory = join(server.home, 'jane');
  const credentials = await RotatingCertificate.open(
    { directory, name: 'client', log: memoryLog(), issue },
    stopping.signal,
  );
  let rotations = 0;
  credentials.onChange(() => {
    rotations += 1;
  });
  const transport = httpTransport({
    server: `https://127.0.0.1:${server.server.port}`,
    certificateAuthority: certPem,
    credentials,
  });
  const started = Date.now();
  const statuses = new Set<number>();
  while (rotations < ROTATIONS || Date.now() - started < LIFE_MS + 1000) {
    statuses.add((await transport.call({ method: 'GET', path: '/api' })).status);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  stopping.abort();
  await transport.close();
  await server.close();
  expect([...statuses]).toEqual([200]);
});
