import { X509Certificate } from 'node:crypto';
import { access } from 'node:fs/promises';
import { hostname } from 'node:os';
import { kubeletUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { Client, consoleLog, httpTransport, loadKubeconfig } from '@vireo/kube';
import { configureLog } from '@vireo/kube/log/index.ts';
import { hostCapabilities } from '@vireo/node/devicePlugin/hostCapabilities.ts';
import { KUBELET_DIRECTORY, runDevicePlugins } from '@vireo/node/devicePlugin/index.ts';
import { Failure } from '../../failure.ts';
import { reloadedCredentials } from '../../roles/reloadedCredentials.ts';
import { stopSignal } from '../../stopSignal.ts';
import type { NodeCommandOptions } from './node.ts';

/** Where kubeadm keeps the credentials of the kubelet. */
const KUBELET_CONFIG = '/etc/kubernetes/kubelet.conf';

/** Offers this host's devices to the kubelet that runs here, and labels its Node, until it is told to stop. */
export async function besideKubelet(options: NodeCommandOptions): Promise<void> {
  configureLog({ format: options.logFormat ?? 'text', level: options.logLevel ?? 'info' });
  const { kubeconfig: path = await kubeletConfig(), kubeletDirectory: directory = KUBELET_DIRECTORY } = options;
  await access(directory).catch(() => {
    throw new Failure(`${directory} does not exist`, 'Is there a kubelet on this host? Without one: vireo node');
  });
  const config = await loadKubeconfig({ path });
  const credentials = reloadedCredentials(async () => (await loadKubeconfig({ path })).credentials);
  const { certificate } = await credentials.get();
  const name = options.nodeName ?? nodeNameIn(certificate) ?? hostname().toLowerCase();
  const host = { name, architecture: process.arch === 'arm64' ? 'arm64' : 'amd64' } as const;
  const client = new Client(httpTransport({ ...config, credentials, userAgent: 'virt-handler' }));
  const stopping = new AbortController();
  void stopSignal({ endsWithLauncher: true }).then(() => stopping.abort());
  console.log(`Offering the devices of VMs to the kubelet of node ${name}, in ${directory}.`);
  try {
    const capabilities = (virtType: string) => hostCapabilities(host, virtType, consoleLog);
    await runDevicePlugins({ client, host, capabilities, directory }, stopping.signal);
  } finally {
    await client.close();
  }
}

async function kubeletConfig(): Promise<string> {
  await access(KUBELET_CONFIG).catch(() => {
    throw new Failure(
      `there is no kubeconfig: none was given, and ${KUBELET_CONFIG} cannot be read`,
      "Pass the kubelet's: --kubeconfig FILE",
    );
  });
  return KUBELET_CONFIG;
}

/** The node that a certificate is for: a kubelet need not be called as its host is. */
export function nodeNameIn(certificate: string | Buffer | undefined): string | undefined {
  if (certificate === undefined) return undefined;
  const name = /^CN=(.*)$/m.exec(new X509Certificate(certificate).subject)?.[1] ?? '';
  const prefix = kubeletUser('');
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}
