import { createServer, type Socket } from 'node:net';
import { ApiError, internalError } from '@vireo/api';
import type { NodeContext } from '../context.ts';
import type { Active } from './actions.ts';
import { dial } from './dial.ts';

/**
 * A connection to a port of the guest. QEMU's own network lets nobody in but by a forwarded port, so one is opened for
 * the moment that it takes to connect through it.
 */
export async function openPort(machine: Active, port: number, protocol: string, context: NodeContext): Promise<Socket> {
  const { vmi, domain } = machine;
  const target = `${protocol} port ${port} of virtual machine instance ${vmi.metadata.namespace}/${vmi.metadata.name}`;
  if (protocol !== 'tcp')
    throw new ApiError('MethodNotAllowed', `${target} cannot be reached: this network carries only tcp inwards`);
  const card = vmi.spec.domain.devices.interfaces?.find(({ state }) => state !== 'absent');
  if (!card || !/^[\w.-]+$/.test(card.name))
    throw internalError(`${target} cannot be reached: the machine has no network card`);
  const local = await freePort();
  const rule = `hostua-${card.name} tcp:127.0.0.1:${local}`;
  const tell = (command: string): Promise<string> =>
    context.libvirt.calls.qemuMonitorCommand(domain.ref, command, { human: true });
  const complaint = (await tell(`hostfwd_add ${rule}-:${port}`)).trim();
  if (complaint) throw internalError(`${target} cannot be reached: ${complaint}`);
  try {
    return await dial({ host: '127.0.0.1', port: local });
  } finally {
    // What is connected stays so.
    await tell(`hostfwd_remove ${rule}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
