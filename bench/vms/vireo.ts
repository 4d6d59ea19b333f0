import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, httpTransport, loadKubeconfig, type Transport } from '@vireo/kube';
import { removeNetwork } from '@vireo/network';
import { type NodeLayout, nodeLayout } from '@vireo/node';
import { networkOwner } from '@vireo/node/network/owner.ts';
import { end } from '../processes.ts';
import { collectOutput } from '../servers/server.ts';
import { collectGarbage } from './garbage.ts';
import { endDaemon } from './libvirtd.ts';

const program = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

/** A whole Vireo that runs VMs, in a process of its own. */
export interface VireoWithVms {
  readonly layout: NodeLayout;
  readonly pid: number;
  readonly client: Client;
  /** Makes the process drop what it does not need any more; resolves with the bytes that it does. */
  collectGarbage(): Promise<number>;
  /** Ends the server, the daemon with all guests, and their network. */
  stop(): Promise<void>;
}

/** Starts `vireo up` on a home, with further arguments; resolves when it takes VMs. */
export async function startVireoWithVms(home: string, args: readonly string[] = []): Promise<VireoWithVms> {
  const settings = Object.entries(process.env).filter(([name]) => !name.startsWith('VIREO_'));
  // The port is for collectGarbage: nothing listens on it until it is asked for.
  const child = spawn(
    process.execPath,
    ['--inspect-port=127.0.0.1:0', program, 'up', '--home', home, '--port', '0', ...args],
    { env: Object.fromEntries(settings), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const layout = nodeLayout(home, process.getuid?.() === 0);
  const transport = Promise.withResolvers<Transport>();
  const output = collectOutput(child);
  let isStopping = false;
  // Its end explains whatever fails after it.
  child.once('exit', (code, signal) => {
    if (!isStopping) console.error(`vireo up ended with ${signal ?? code}; it said last:\n${output()}`);
  });
  const stop = async (): Promise<void> => {
    isStopping = true;
    await transport.promise.then((open) => open.close()).catch(() => {});
    await end(child, 'SIGTERM');
    await endDaemon(layout);
    if (layout.isRoot) await removeNetwork(networkOwner(home));
  };
  try {
    await untilReady(child, output);
    transport.resolve(httpTransport(await loadKubeconfig({ path: join(home, 'kubeconfig') })));
  } catch (error) {
    transport.reject(error);
    await stop();
    throw error;
  }
  return {
    layout,
    pid: child.pid as number,
    client: new Client(await transport.promise),
    collectGarbage: () => collectGarbage(child),
    stop,
  };
}

function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => output().includes(' is ready after ') && resolve());
    child.once('error', reject);
    child.once('exit', () => reject(new Error('vireo up ended before it was ready')));
  });
}
