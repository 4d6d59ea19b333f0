import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, httpTransport, staticCredentials, type Transport, type UserInfo } from '@vireo/kube';
import { LOOPBACK } from '../apiServer.ts';
import { type RunningServer, type ServerOptions, startServer } from '../server.ts';

/** A whole server on a home of its own, for tests: real store, real TLS, a free port. */
export interface TestServer {
  readonly home: string;
  readonly server: RunningServer;
  /** In process, as the administrator. */
  readonly client: Client;
  inProcess(user?: UserInfo): Transport;
  /** Over the network, with the administrator's certificate or a bearer token. */
  overHttp(options?: { token?: string; anonymous?: boolean }): Promise<Transport>;
  /** Stops and starts it again on the same home. */
  restart(): Promise<TestServer>;
  /** Stops it and removes the home. */
  close(): Promise<void>;
}

export async function startTestServer(home?: string, options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const directory = home ?? (await mkdtemp(join(tmpdir(), 'vireo-test-')));
  const server = await startServer({ home: directory, port: 0, host: '127.0.0.1', ...options });
  const transports: Transport[] = [];
  const kept = <T extends Transport>(transport: T): T => {
    transports.push(transport);
    return transport;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(transports.map((transport) => transport.close()));
    await server.close();
  };
  const inProcess = (user: UserInfo = LOOPBACK): Transport => kept(server.api.transportFor(user));
  return {
    home: directory,
    server,
    client: new Client(inProcess()),
    inProcess,
    overHttp: async ({ token, anonymous } = {}) => {
      const read = (name: string): Promise<string> => readFile(join(directory, 'pki', name), 'utf8');
      const [certificateAuthority, certificate, key] = await Promise.all(
        ['ca.crt', 'admin.crt', 'admin.key'].map(read),
      );
      const credentials = token !== undefined ? { token } : anonymous ? {} : { certificate, key };
      return kept(
        httpTransport({
          server: `https://127.0.0.1:${server.port}`,
          ...(certificateAuthority && { certificateAuthority }),
          credentials: staticCredentials(credentials),
        }),
      );
    },
    restart: async () => {
      await stop();
      return startTestServer(directory, options);
    },
    close: async () => {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
