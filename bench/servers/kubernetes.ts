import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ensurePki } from '@vireo/apiserver/auth/pki.ts';
import { end } from '../processes.ts';
import { collectOutput, endpointOf, freePort, type ServerKind, untilReady } from './server.ts';

/** The original, when the environment says where its two programs are. */
export function kubernetes(env: NodeJS.ProcessEnv = process.env): ServerKind | undefined {
  const { VIREO_BENCH_KUBE_APISERVER: apiserver, VIREO_BENCH_ETCD: etcd } = env;
  if (!apiserver && !etcd) return undefined;
  if (!apiserver || !etcd)
    throw new Error('VIREO_BENCH_KUBE_APISERVER and VIREO_BENCH_ETCD go together: set both, each to a program’s path');
  return { name: 'kube-apiserver', start: (directory) => start(apiserver, etcd, directory) };
}

async function start(apiserver: string, etcd: string, directory: string) {
  const pki = join(directory, 'pki');
  await mkdir(directory, { recursive: true });
  await ensurePki(pki);
  const [port, etcdPort, peerPort] = [await freePort(), await freePort(), await freePort()];
  const startedAt = performance.now();
  const children = [
    spawn(etcd, etcdArguments(directory, pki, etcdPort, peerPort), { stdio: ['ignore', 'pipe', 'pipe'] }),
    spawn(apiserver, apiserverArguments(pki, port, etcdPort), { stdio: ['ignore', 'pipe', 'pipe'] }),
  ] as const;
  const [etcdOutput, apiserverOutput] = [collectOutput(children[0]), collectOutput(children[1])];
  // The server first: it must not find its store gone.
  const stop = async (): Promise<void> => {
    for (const child of children.toReversed()) await end(child, 'SIGTERM');
  };
  try {
    await untilReady(port, children[1], () => `${etcdOutput()}\n${apiserverOutput()}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    endpoint: endpointOf(port, pki),
    pids: children.map((child) => child.pid as number),
    readyMs: performance.now() - startedAt,
    stop,
  };
}

function etcdArguments(directory: string, pki: string, port: number, peerPort: number): string[] {
  const [client, peer] = [`https://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return flags({
    name: 'bench',
    'data-dir': join(directory, 'etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `bench=${peer}`,
    'client-cert-auth': 'true',
    'trusted-ca-file': join(pki, 'ca.crt'),
    'cert-file': join(pki, 'apiserver.crt'),
    'key-file': join(pki, 'apiserver.key'),
  });
}

function apiserverArguments(pki: string, port: number, etcdPort: number): string[] {
  return flags({
    'bind-address': '127.0.0.1',
    'secure-port': String(port),
    'tls-cert-file': join(pki, 'apiserver.crt'),
    'tls-private-key-file': join(pki, 'apiserver.key'),
    'client-ca-file': join(pki, 'ca.crt'),
    'authorization-mode': 'RBAC',
    'service-cluster-ip-range': '10.96.0.0/16',
    'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
    'service-account-key-file': join(pki, 'sa.key'),
    'service-account-signing-key-file': join(pki, 'sa.key'),
    'etcd-servers': `https://127.0.0.1:${etcdPort}`,
    'etcd-cafile': join(pki, 'ca.crt'),
    'etcd-certfile': join(pki, 'admin.crt'),
    'etcd-keyfile': join(pki, 'admin.key'),
  });
}

const flags = (values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([name, value]) => `--${name}=${value}`);
