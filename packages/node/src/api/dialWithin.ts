import { type ChildProcess, spawn } from 'node:child_process';
import { Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { internalError } from '@vireo/api';
import { networkOf } from '../libvirtd/sessionNetwork.ts';
import { datagramStream, dialDatagrams } from './datagrams.ts';
import { dial } from './dial.ts';
import type { Protocol } from './forwardTarget.ts';

const script = fileURLToPath(new URL('./dialProcess.ts', import.meta.url));

interface Target {
  readonly host: string;
  readonly port: number;
}

export interface DialRequest extends Target {
  readonly id: number;
  readonly protocol: Protocol;
}

/** Comes with the connection, unless there is an error. */
export interface DialAnswer {
  readonly id: number;
  readonly error?: string;
}

/** Processes that open connections, by the network namespace that they are in. */
const dialers = new Map<string, ChildProcess>();
let lastId = 0;

/** Connects to a port as a process sees it: in its network namespace, which may not be ours. */
export async function dialWithin(pid: number | undefined, protocol: Protocol, target: Target): Promise<Duplex> {
  const [there, here] = await Promise.all([pid === undefined ? undefined : networkOf(pid), networkOf('self')]);
  if (pid === undefined || there === undefined || there === here)
    return protocol === 'udp' ? dialDatagrams(target) : dial(target);
  const socket = await ask(dialerIn(pid, there), { id: ++lastId, protocol, ...target });
  if (socket instanceof Socket) return socket;
  socket.connect(target.port, target.host);
  await once(socket, 'connect');
  return datagramStream(socket);
}

function dialerIn(pid: number, namespace: string): ChildProcess {
  const found = dialers.get(namespace);
  if (found?.connected) return found;
  const words = ['-t', `${pid}`, '-U', '-n', '--preserve-credentials', '--', process.execPath, script];
  const child = spawn('nsenter', words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  dialers.set(namespace, child);
  child.setMaxListeners(0);
  child.once('exit', () => {
    if (dialers.get(namespace) === child) dialers.delete(namespace);
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function ask(child: ChildProcess, request: DialRequest): Promise<Socket | DatagramSocket> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      end();
      reject(internalError(`cannot reach the guest: ${why}`));
    };
    const onMessage = ({ id, error }: DialAnswer, handle?: unknown): void => {
      if (id !== request.id) return;
      if (handle instanceof Socket || handle instanceof DatagramSocket) {
        end();
        resolve(handle);
      } else fail(error ?? 'no connection came');
    };
    const onExit = (code: number | null): void => fail(`the process that connects has ended (${code})`);
    const onError = (error: Error): void => fail(error.message);
    const end = (): void => {
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
    };
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    child.send(request);
  });
}
