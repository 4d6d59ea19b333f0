import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { httpTransport, type IssuedCertificate, RotatingCertificate } from '@vireo/kube';
import { newKey } from '@vireo/kube/certificates/request.ts';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { expect, it } from 'vitest';
import { startTestServer } from '../testing/server.ts';

const LIFE_MS = 3_600_000;
const ROTATIONS = 2;

it('a certificate that is about to end is replaced without a failed request', async () => {
  const server = await startTestServer();
  const read = (name: string) => readFile(join(server.home, 'pki', name), 'utf8');
  const [certPem, keyPem] = [await read('ca.crt'), await read('ca.key')];
  const clock = new FakeClock();
  clock.advance(Date.now());
  let issued = 0;
  const issue = async (): Promise<IssuedCertificate> => {
    const key = newKey();
    const notAfter = new Date(clock.now() + LIFE_MS);
    // Each for another name, by which the server tells which one it was shown.
    const commonName = `jane-${issued++}`;
    const request = { commonName, use: 'client' as const, notBefore: new Date(Date.now() - 60_000), notAfter };
    return {
      certPem: issueCertificate(request, key, { certPem, key: createPrivateKey(keyPem) }),
      keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
      notAfter,
    };
  };
  const stopping = new AbortController();
  const credentials = await RotatingCertificate.open(
    { directory: join(server.home, 'jane'), name: 'client', log: memoryLog(), issue, clock },
    stopping.signal,
  );
  const transport = httpTransport({
    server: `https://127.0.0.1:${server.server.port}`,
    certificateAuthority: certPem,
    credentials,
  });
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const statuses = new Set<number>();
  const users = new Set<string>();
  while (!users.has(`jane-${ROTATIONS}`)) {
    const shown = users.size;
    const { status, body } = await transport.call({ method: 'POST', path, body: review });
    statuses.add(status);
    users.add((body as { status: { userInfo: { username: string } } }).status.userInfo.username);
    if (users.size > shown) clock.advance(0.9 * LIFE_MS);
  }
  stopping.abort();
  await transport.close();
  await server.close();
  expect([...statuses]).toEqual([201]);
  expect([...users]).toEqual(Array.from({ length: ROTATIONS + 1 }, (_, index) => `jane-${index}`));
});
