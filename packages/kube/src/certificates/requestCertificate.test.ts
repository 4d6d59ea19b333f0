import { X509Certificate } from 'node:crypto';
import { CertificateSigningRequest } from '@vireo/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../client.ts';
import { issueCertificate } from '../serving/certificate.ts';
import { FakeKubernetes } from '../testing/fakeKubernetes.ts';
import { fakeTransport } from '../testing/fakeTransport.ts';
import { parseCertificateRequest } from './parse.ts';
import { newKey } from './request.ts';
import { CLIENT_USAGES, requestCertificate } from './requestCertificate.ts';
import { CLIENT_SIGNER } from './signers.ts';

const ask = {
  namePrefix: 'node-',
  signerName: CLIENT_SIGNER,
  usages: CLIENT_USAGES,
  commonName: 'vireo:node:a',
  organizations: ['vireo:nodes'],
  dnsNames: ['a.example'],
  ipAddresses: ['10.0.0.1', 'fd00::1'],
};

let kubernetes: FakeKubernetes;
let client: Client;
const { signal } = new AbortController();

beforeEach(() => {
  kubernetes = new FakeKubernetes();
  client = new Client(fakeTransport(kubernetes));
});

const requests = () => client.of(CertificateSigningRequest);

/** The request, when it is there. */
async function asked() {
  for (;;) {
    const [request] = (await requests().list()).items;
    if (request) return request;
    await new Promise(setImmediate);
  }
}

const signed = (): string => {
  const validity = { notBefore: new Date(0), notAfter: new Date('2040-01-01T00:00:00Z') };
  return issueCertificate({ commonName: 'vireo:node:a', use: 'client', ...validity }, newKey());
};

const finish = async (status: object): Promise<void> => {
  await requests().patch((await asked()).metadata.name, { status }, { type: 'merge' });
};

describe('a requested certificate', () => {
  it('is asked for by name, group, usages and addresses', async () => {
    const issued = requestCertificate(client, { ...ask, expirationSeconds: 3600 }, signal);
    const { metadata, spec } = await asked();
    expect(metadata.name).toMatch(/^node-/);
    expect(spec).toMatchObject({ signerName: CLIENT_SIGNER, usages: CLIENT_USAGES, expirationSeconds: 3600 });
    expect(parseCertificateRequest(spec.request)).toMatchObject({
      commonName: 'vireo:node:a',
      organizations: ['vireo:nodes'],
      dnsNames: ['a.example'],
      ipAddresses: ['10.0.0.1', 'fd00:0000:0000:0000:0000:0000:0000:0001'],
    });
    const certPem = signed();
    await finish({ certificate: btoa(certPem) });
    expect(await issued).toMatchObject({ certPem, notAfter: new X509Certificate(certPem).validToDate });
  });

  it('comes also where the watch is cut and its version is forgotten', async () => {
    const issued = requestCertificate(client, ask, signal);
    await asked();
    kubernetes.store.compact();
    kubernetes.endWatches();
    await finish({ certificate: btoa(signed()) });
    expect((await issued).keyPem).toContain('PRIVATE KEY');
  });

  it.each([
    ['Denied', 'was denied: the Node a belongs to another host'],
    ['Failed', 'was not signed: the Node a belongs to another host'],
  ])('that is %s is refused with the reason', async (type, message) => {
    const issued = expect(requestCertificate(client, ask, signal)).rejects.toThrow(message);
    await finish({ conditions: [{ type, status: 'True', message: 'the Node a belongs to another host' }] });
    await issued;
  });

  it('is an error if its request is deleted', async () => {
    const issued = expect(requestCertificate(client, ask, signal)).rejects.toThrow('was deleted before it was signed');
    await requests().delete((await asked()).metadata.name);
    await issued;
  });
});
