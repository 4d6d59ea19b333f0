import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueClientCertificate } from '@vireo/apiserver/auth/pki.ts';
import { Client, httpTransport, loadKubeconfig } from '@vireo/kube';
import { nodeLayout } from '@vireo/node';
import { endDaemon } from '../bench/vms/libvirtd.ts';
import { startVireo, type Vireo } from '../e2e/vireo.ts';
import { end, processesWith, removeNetworkOf } from '../e2e/vms/leftovers.ts';
import { type Credentials, Wire } from './wire.ts';

const SIMULATED_NODES = 2;

/** A whole `vireo up` with simulated nodes beside the real one, and everybody's way in. */
export interface Ground extends AsyncDisposable {
  readonly home: string;
  readonly port: number;
  readonly pid: number;
  /** The administrator's client. */
  readonly client: Client;
  readonly ca: string;
  /** The administrator's own credentials, as in the kubeconfig. */
  readonly admin: Credentials;
  /** A certificate of the server's authority for a user and his groups. */
  certificateOf(user: string, groups?: readonly string[]): Credentials;
  /** A connection that is closed with the ground. */
  wire(credentials: Credentials): Wire;
  /** What the server has printed so far. */
  output(): string;
  /** What is wrong with the server; undefined while it lives and answers. */
  problem(): Promise<string | undefined>;
}

export interface GroundOptions {
  /** Where the home is made; the host's place for temporary files when missing. */
  readonly below?: string;
  readonly simulatedNodes?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the ground on a home of its own; disposing of it leaves nothing behind. */
export async function openGround({
  below = tmpdir(),
  simulatedNodes = SIMULATED_NODES,
  env = {},
}: GroundOptions = {}): Promise<Ground> {
  const home = await mkdtemp(join(below, 'vireo-security-'));
  try {
    const server = await startVireo({ home, vms: true, simulatedNodes, env });
    return await groundOf(home, server);
  } catch (error) {
    await remove(home);
    throw error;
  }
}

async function groundOf(home: string, server: Vireo): Promise<Ground> {
  const pem = (name: string): Promise<string> => readFile(join(home, 'pki', name), 'utf8');
  const [ca, caKey, cert, key] = await Promise.all(['ca.crt', 'ca.key', 'admin.crt', 'admin.key'].map(pem));
  const admin: Credentials = { ca: ca!, cert: cert!, key: key! };
  const client = new Client(httpTransport(await loadKubeconfig({ path: server.kubeconfig })));
  const wires = new Set<Wire>();
  const wire = (credentials: Credentials): Wire => {
    const made = new Wire(server.port, credentials);
    wires.add(made);
    return made;
  };
  return {
    home,
    port: server.port,
    pid: server.pid,
    client,
    ca: ca!,
    admin,
    wire,
    certificateOf(user, groups = []) {
      const issuer = { ca: { certPem: ca!, keyPem: caKey! } };
      const { certPem, keyPem } = issueClientCertificate(issuer, { commonName: user, organizations: groups });
      return { ca: ca!, cert: certPem, key: keyPem };
    },
    output: () => server.output(),
    async problem() {
      const probe = wire(admin);
      try {
        const { status, body } = await probe.send({ method: 'GET', path: '/readyz?verbose' });
        return status === 200 ? undefined : `the server is not ready (${status}): ${body}`;
      } catch (error) {
        return `the server does not answer: ${(error as Error).message}\n${server.output().slice(-2000)}`;
      } finally {
        probe.close();
        wires.delete(probe);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const each of wires) each.close();
      await client.close();
      await server.stop();
      await remove(home);
    },
  };
}

async function remove(home: string): Promise<void> {
  await endDaemon(nodeLayout(home, process.getuid?.() === 0)).catch(() => {});
  for (const { pid } of await processesWith(home)) if (pid !== process.pid) end(pid, 'SIGKILL');
  await removeNetworkOf(home);
  await rm(home, { recursive: true, force: true });
}
