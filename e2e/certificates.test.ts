import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { certificateRequest } from '@vireo/apiserver/testing/certificateRequests.ts';
import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, vireo } = useCluster();

const request = (name: string, signer: string, names: Parameters<typeof certificateRequest>[0]) => {
  const { request, keyPem } = certificateRequest(names);
  const manifest = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name },
    spec: { request, signerName: `kubernetes.io/${signer}`, usages: ['client auth', 'digital signature'] },
  };
  return { keyPem, input: JSON.stringify(manifest) };
};

/** Options that make kubectl forget the administrator's certificate. */
const withoutCertificate = () =>
  `--server=https://127.0.0.1:${vireo().port} --kubeconfig= --certificate-authority=${vireo().home}/pki/ca.crt`;

/** Options to log in with the certificate that a request was answered with. */
async function login(name: string, keyPem: string): Promise<string> {
  await kubectl.until(`get csr ${name} -o jsonpath={.status.certificate}`, /.+/);
  const encoded = (await kubectl.run(`get csr ${name} -o jsonpath={.status.certificate}`)).stdout;
  const [cert, key] = [join(vireo().home, `${name}.crt`), join(vireo().home, `${name}.key`)];
  await Promise.all([writeFile(cert, Buffer.from(encoded, 'base64')), writeFile(key, keyPem, { mode: 0o600 })]);
  return `${withoutCertificate()} --client-certificate=${cert} --client-key=${key}`;
}

describe('kubectl certificate', () => {
  it('approve: the signed certificate logs in', async () => {
    const { input, keyPem } = request('jane', 'kube-apiserver-client', {
      commonName: 'jane',
      organizations: ['staff'],
    });
    expect(await kubectl('create -f -', { input })).toBe('certificatesigningrequest.certificates.k8s.io/jane created');
    expect(await kubectl('certificate approve jane')).toBe(
      'certificatesigningrequest.certificates.k8s.io/jane approved',
    );
    const options = await login('jane', keyPem);
    expect(await kubectl('get csr jane')).toMatch(/kubernetes-admin +<none> +Approved,Issued$/m);
    expect(
      await kubectl(`auth whoami -o jsonpath={.status.userInfo.username}:{.status.userInfo.groups} ${options}`),
    ).toBe('jane:["staff","system:authenticated"]');
  });

  it('deny: nothing is signed', async () => {
    const { input } = request('denied', 'kube-apiserver-client', { commonName: 'denied' });
    await kubectl.do('create -f -', { input });
    expect(await kubectl('certificate deny denied')).toBe(
      'certificatesigningrequest.certificates.k8s.io/denied denied',
    );
    expect(await kubectl('get csr denied')).toMatch(/Denied$/m);
    expect(await kubectl('certificate approve denied')).toBe(
      'error: certificate signing request "denied" is already Denied\nexit code 1',
    );
  });
});

it('a node joins with a bootstrap token, and is then that node', async () => {
  const token = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
    },
  };
  await kubectl.do('create -f -', { input: JSON.stringify(token) });
  const { input, keyPem } = request('node-csr', 'kube-apiserver-client-kubelet', {
    commonName: 'system:node:n1',
    organizations: ['system:nodes'],
  });
  await kubectl.do(`create -f - --token=abcdef.0123456789abcdef ${withoutCertificate()}`, { input });
  const options = await login('node-csr', keyPem);
  const node = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  expect(await kubectl(`create -f - ${options}`, { input: node })).toBe('node/n1 created');
  expect(await kubectl(`get nodes ${options}`)).toContain("node 'n1' cannot read all nodes, only its own Node object");
});
