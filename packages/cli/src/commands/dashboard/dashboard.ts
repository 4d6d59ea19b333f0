import { createInterface } from 'node:readline';
import { loadPage } from '@vireo/dashboard';
import { stopSignal } from '../../stopSignal.ts';
import { connected, findTarget } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
import { fetchBytes } from '../vms/http1.ts';
import { cannotListen, orFail } from '../vms/refusal.ts';
import { browserProgram, openBrowser } from './openBrowser.ts';
import { renewedCredentials } from './renewedCredentials.ts';
import { startDashboard } from './server.ts';
import { CODE_MS } from './sessions.ts';

interface Options extends ConnectionOptions {
  readonly port: number;
  readonly open: boolean;
}

/** Serves the dashboard on this host for the cluster of the kubeconfig, until it is stopped. */
export function dashboard(options: Options): Promise<void> {
  return connected(options, async (connection) => {
    const { target, namespace } = connection;
    // Whoever makes another context the current one wants to keep this page as it is.
    const { context = options.context } = target;
    const credentials = renewedCredentials(target, () => findTarget({ ...options, ...(context && { context }) }));
    const cluster = { ...target, credentials };
    const stop = stopSignal({ endsWithLauncher: true });
    // A cluster that cannot be reached is told here, not on an empty page.
    await orFail(
      connection,
      (why) => why,
      () => fetchBytes(cluster, '/version'),
    );
    const page = await loadPage();
    const server = await startDashboard({ cluster, namespace, port: options.port, page }).catch((error: unknown) => {
      throw cannotListen('127.0.0.1', options.port, error);
    });
    const address = server.newAddress();
    console.log(`The dashboard for ${cluster.server} is at:\n\n  ${address}\n`);
    console.log('The address can be opened once, within a minute, and gives whoever opens it your permissions.');
    console.log(`${process.stdin.isTTY ? 'Press Enter for another address. ' : ''}Ctrl-C stops the dashboard.`);
    const lines = process.stdin.isTTY ? createInterface({ input: process.stdin }) : undefined;
    lines?.on('line', () => console.log(`  ${server.newAddress()}`));
    const program = options.open && process.stdout.isTTY ? browserProgram(process.platform, process.env) : undefined;
    const removeFile = program === undefined ? () => {} : openBrowser(program, address);
    const removal = setTimeout(removeFile, CODE_MS);
    try {
      await stop;
    } finally {
      clearTimeout(removal);
      removeFile();
      lines?.close();
      await server.close();
    }
  });
}
