import type { FileContent, FileWriteOptions } from '@vireo/api/kinds/kubevirt/guestExec.ts';
import type { NodeContext } from '../context.ts';
import type { ActionInput, Active } from './actions.ts';
import { askAgent } from './guestCommand.ts';

const KIND = { apiVersion: 'subresources.kubevirt.io/v1', kind: 'FileContent' };

const CHUNK_BYTES = 1 << 20;
/** A message of several hundred kilobytes stalls the agent. */
const PIECE_BYTES = 48 << 10;

type Context = Pick<NodeContext, 'libvirt'>;

/** Reads a part of a file of the guest. */
export function readGuestFile(local: Active, context: Context, { query }: ActionInput): Promise<FileContent> {
  const [path, offset] = [query.get('path') ?? '', Number(query.get('offset'))];
  return withFile(local, context, path, 'r', async (handle) => {
    if (offset > 0) await askAgent(local, context, 'guest-file-seek', { handle, offset, whence: 'set' });
    const read = await askAgent(local, context, 'guest-file-read', { handle, count: CHUNK_BYTES });
    // The agent notices the end only when it has tried to read beyond it.
    return { ...KIND, offset, content: String(read['buf-b64'] ?? ''), eof: Boolean(read.eof) };
  });
}

/** Writes to a file of the guest. */
export function writeGuestFile(local: Active, context: Context, { body, signal }: ActionInput): Promise<void> {
  const { path, content, append } = body as FileWriteOptions;
  return withFile(local, context, path, append ? 'a' : 'w', async (handle) => {
    const bytes = Buffer.from(content, 'base64');
    for (let offset = 0; offset < bytes.length; ) {
      signal.throwIfAborted();
      const piece = bytes.subarray(offset, offset + PIECE_BYTES).toString('base64');
      const { count } = await askAgent(local, context, 'guest-file-write', { handle, 'buf-b64': piece });
      if (!count) throw new Error(`the guest agent wrote nothing to ${path}`);
      offset += Number(count);
    }
    await askAgent(local, context, 'guest-file-flush', { handle });
  });
}

async function withFile<T>(
  local: Active,
  context: Context,
  path: string,
  mode: 'r' | 'w' | 'a',
  use: (handle: unknown) => Promise<T>,
): Promise<T> {
  const handle: unknown = await askAgent(local, context, 'guest-file-open', { path, mode });
  const close = () => askAgent(local, context, 'guest-file-close', { handle });
  const result = await use(handle).catch(async (error: unknown) => {
    // What went wrong first is what helps.
    await close().catch(() => {});
    throw error;
  });
  await close();
  return result;
}
