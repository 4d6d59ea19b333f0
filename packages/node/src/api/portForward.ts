import type { Socket } from 'node:net';
import { ApiError } from '@vireo/api';
import type { NodeContext } from '../context.ts';
import type { Active } from './actions.ts';

/** Connections into the guest. Machines have only outbound access so far. */
export async function openPort(
  { vmi }: Active,
  port: number,
  protocol: string,
  _context: NodeContext,
): Promise<Socket> {
  const name = `${vmi.metadata.namespace}/${vmi.metadata.name}`;
  throw new ApiError(
    'MethodNotAllowed',
    `${protocol} port ${port} of virtual machine instance ${name} cannot be reached: its network has outbound access only`,
  );
}
