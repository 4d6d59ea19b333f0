import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError, badRequest, internalError } from '@vireo/api';
import { keyOf } from '@vireo/kube';
import type { NodeContext } from '../context.ts';
import { guestPid } from '../shutdown/guestProcesses.ts';
import type { Active } from './actions.ts';
import { dialDatagrams } from './datagrams.ts';
import { dial } from './dial.ts';
import { dialWithin } from './dialWithin.ts';
import { forwardTarget, type Protocol } from './forwardTarget.ts';

const HOST = '127.0.0.1';

/**
 * A connection to a port of the guest. One with an address of its own is simply connected to. QEMU's user networking lets
 * nobody in but by a forwarded port: one is opened for the moment that it takes to connect through it, or for as long as
 * datagrams may go through it.
 */
export async function openPort(
  { vmi, domain }: Active,
  port: number,
  protocol: string,
  context: NodeContext,
): Promise<Duplex> {
  const target = `${protocol} port ${port} of virtual machine instance ${vmi.metadata.namespace}/${vmi.metadata.name}`;
  if (!isProtocol(protocol)) throw badRequest(`${target} cannot be reached: the protocol is neither tcp nor udp`);
  const way = forwardTarget(vmi, port, protocol);
  if ('refusal' in way) throw new ApiError('MethodNotAllowed', `${target} cannot be reached: ${way.refusal}`);
  const address = context.network.addressOf(vmi.metadata.uid);
  if (address !== undefined)
    return protocol === 'udp' ? dialDatagrams({ host: address, port }) : dial({ host: address, port });
  if (!/^[\w.-]+$/.test(way.iface))
    throw internalError(`${target} cannot be reached: its interface has an invalid name`);
  const local = await freePort(protocol);
  const rule = `hostua-${way.iface} ${protocol}:${HOST}:${local}`;
  const runMonitorCommand = (command: string): Promise<string> =>
    context.libvirt.calls.qemuMonitorCommand(domain.ref, command, { human: true });
  const complaint = (await runMonitorCommand(`hostfwd_add ${rule}-:${port}`)).trim();
  if (complaint) throw internalError(`${target} cannot be reached: ${complaint}`);
  const close = (): Promise<string> => runMonitorCommand(`hostfwd_remove ${rule}`);
  // A guest of an ordinary user may have a network namespace, where its forwarded ports are then.
  const pid = context.layout.isRoot ? undefined : await guestPid(context.layout, keyOf(vmi));
  if (protocol === 'udp') {
    const stream = await dialWithin(pid, protocol, { host: HOST, port: local });
    // It goes with the guest, too, and then there is nobody to tell.
    stream.once('close', () => void close().catch(() => {}));
    return stream;
  }
  try {
    return await dialWithin(pid, protocol, { host: HOST, port: local });
  } finally {
    // What is connected stays so.
    await close();
  }
}

const isProtocol = (text: string): text is Protocol => text === 'tcp' || text === 'udp';

async function freePort(protocol: Protocol): Promise<number> {
  if (protocol === 'udp') {
    const socket = createSocket('udp4').bind(0, HOST);
    await once(socket, 'listening');
    const { port } = socket.address();
    socket.close();
    await once(socket, 'close');
    return port;
  }
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
