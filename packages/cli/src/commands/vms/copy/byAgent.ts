import { basename } from 'node:path';
import type { FileContent } from '@vireo/api/kinds/kubevirt/guestExec.ts';
import { Failure } from '../../../failure.ts';
import { actionPath, type Connection } from '../connection.ts';
import { askGuest } from '../exec/agentRefusal.ts';
import { readParts, writeParts } from './localFile.ts';
import type { Copy } from './parseCopy.ts';

/** What a slow guest writes in a few seconds. */
const CHUNK_BYTES = 256 << 10;
/** Beyond this it takes minutes. */
const LARGEST_BYTES = 256 << 20;

/** Writes a file of this host to the guest, a part at a time. */
export async function uploadByAgent(connection: Connection, { vm, local, remote }: Copy): Promise<void> {
  const path = inGuest(remote, local);
  let append = false;
  for await (const part of readParts(local, { chunkBytes: CHUNK_BYTES, largestBytes: LARGEST_BYTES })) {
    const body = { path, content: part.toString('base64'), append };
    await request(connection, vm, path, () =>
      connection.client.call({ method: 'PUT', path: filePath(connection, vm), body }),
    );
    append = true;
  }
}

/** Reads a file of the guest to this host. */
export function downloadByAgent(connection: Connection, { vm, local, remote }: Copy): Promise<void> {
  const path = inGuest(remote, '');
  return writeParts(local, basename(path), partsInGuest(connection, vm, path));
}

async function* partsInGuest(connection: Connection, vm: string, path: string): AsyncGenerator<Buffer> {
  for (let offset = 0, isDone = false; !isDone; ) {
    const query = { path, offset: String(offset) };
    const part = (await request(connection, vm, path, () =>
      connection.client.call({ method: 'GET', path: filePath(connection, vm), query }),
    )) as FileContent;
    const bytes = Buffer.from(part.content, 'base64');
    yield bytes;
    offset += bytes.length;
    isDone = part.eof || bytes.length === 0;
  }
}

const filePath = (connection: Connection, vm: string): string =>
  actionPath(connection, 'virtualmachineinstances', vm, 'file');

const request = <T>(connection: Connection, vm: string, path: string, ask: () => Promise<T>): Promise<T> =>
  askGuest(connection, (why) => `cannot copy ${vm}:${path}: ${why}`, ask);

/** The agent has no home, so that paths must be absolute. A directory takes the name of the file. */
function inGuest(remote: string, local: string): string {
  if (!/^(?:\/|[A-Za-z]:[\\/])/.test(remote))
    throw new Failure(
      `${remote === '' ? 'an empty path' : remote} is not an absolute path, which the guest agent needs`,
      'For example: web:/root/file',
    );
  return remote.endsWith('/') ? `${remote}${basename(local)}` : remote;
}
