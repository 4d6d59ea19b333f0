import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type HttpConfig, httpTransport, loadKubeconfig, writeKubeconfig } from '@vireo/kube';
import { type Child, startChild } from './child.ts';
import { apiserverFlags, controllerManagerFlags, etcdFlags, type Layout, schedulerFlags } from './flags.ts';
import { makePki, type Pki } from './pki.ts';
import { type Programs, programs } from './programs.ts';

const READY_MS = 120_000;

/** A real etcd, kube-apiserver, kube-controller-manager and kube-scheduler, without any node. */
export interface ControlPlane extends AsyncDisposable {
  readonly programs: Programs;
  readonly directory: string;
  /** Of an administrator. */
  readonly kubeconfig: string;
  readonly url: string;
  readonly pki: Pki;
  /** How to connect as an administrator. */
  readonly admin: HttpConfig;
  /** Writes a kubeconfig for another user and returns its path. */
  kubeconfigFor(user: string, groups?: readonly string[]): Promise<string>;
  /** Ends the API server, as a host that is switched off does. */
  stopApiServer(): Promise<void>;
  /** Starts it again, at the same address and with what it had stored. */
  startApiServer(): Promise<void>;
  /** The end of what each program has printed. */
  output(): Promise<string>;
}

export interface ControlPlaneOptions {
  /** How long certificates are valid that are signed for a request; default: as long as kube-controller-manager says. */
  readonly signingDuration?: string;
}

/** Starts a control plane of its own in a temporary directory, and resolves when it is ready. */
export async function startControlPlane({ signingDuration }: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const found = programs();
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'vireo-cluster-'));
  if (!process.env.VIREO_CLUSTER_KEEP) stack.defer(() => rm(directory, { recursive: true, force: true }));
  const [port, etcdPort] = [await freePort(), await freePort()];
  const layout: Layout = { directory, address: hostAddress(), port, etcdPort, minor: found.minor };
  const url = `https://${layout.address}:${port}`;
  const pki = await makePki(join(directory, 'pki'), [layout.address, '127.0.0.1', '10.96.0.1']);
  const kubeconfigFor = async (name: string, user: string, groups?: readonly string[]): Promise<string> => {
    const path = join(directory, `${name}.conf`);
    await writeKubeconfig(path, { server: url, certificateAuthority: pki.ca, name, ...pki.client(user, groups) });
    return path;
  };
  const kubeconfig = await kubeconfigFor('admin', 'kubernetes-admin', ['system:masters']);
  await kubeconfigFor('controller-manager', 'system:kube-controller-manager');
  await kubeconfigFor('scheduler', 'system:kube-scheduler');

  const children = new Map<string, Child>();
  const start = (name: string, program: string, flags: string[]): Child => {
    const child = startChild(program, flags, join(directory, `${name}.log`));
    children.set(name, child);
    return child;
  };
  stack.defer(async () => {
    for (const child of [...children.values()].reverse()) await child[Symbol.asyncDispose]();
  });
  start('etcd', found.etcd, etcdFlags(layout));
  const admin = await loadKubeconfig({ path: kubeconfig });
  const startApiServer = () => ready(start('apiserver', found.apiserver, apiserverFlags(layout)), admin);
  await startApiServer();
  start('controller-manager', found.controllerManager, controllerManagerFlags(layout, signingDuration));
  start('scheduler', found.scheduler, schedulerFlags(layout));
  const kept = stack.move();
  return {
    programs: found,
    directory,
    kubeconfig,
    url,
    pki,
    admin,
    kubeconfigFor: (user, groups) => kubeconfigFor(user.replace(/[^\w-]/g, '_'), user, groups),
    stopApiServer: async () => children.get('apiserver')?.end('SIGKILL'),
    startApiServer,
    output: async () => {
      const texts = [...children].map(async ([name, child]) => `--- ${name}\n${await child.output()}`);
      return (await Promise.all(texts)).join('\n');
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Waits until the server says that it is ready; fails when it ends before. */
async function ready(server: Child, config: HttpConfig): Promise<void> {
  const transport = httpTransport(config);
  const client = new Client(transport);
  const deadline = Date.now() + READY_MS;
  try {
    for (;;) {
      const answer = await client.call({ method: 'GET', path: '/readyz' }).catch((error: Error) => error);
      if (!(answer instanceof Error)) return;
      if (server.hasEnded() || Date.now() > deadline)
        throw new Error(`kube-apiserver did not become ready:\n${await server.output()}`, { cause: answer });
      await delay(100);
    }
  } finally {
    await transport.close();
  }
}

/** The first address of the host that others can reach: extensions must not be on the loopback interface. */
export function hostAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  if (!found) throw new Error('this host has no IPv4 address beside the loopback interface');
  return found.address;
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, () => resolve()));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
