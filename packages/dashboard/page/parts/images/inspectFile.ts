import { type FileKind, fileKind, HEAD_BYTES } from '../../decisions/images/fileKinds.ts';

/** What a file is, by its beginning; the rest is not read. Of a compressed one, by the beginning of what is in it. */
export async function inspectFile(file: Blob): Promise<FileKind> {
  const kind = fileKind(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()), file.size);
  if (kind.format !== 'gzip') return kind;
  const inner = await unpackedHead(file).catch(() => undefined);
  if (!inner) return kind;
  const { format, diskBytes, problem } = fileKind(inner, 0);
  return {
    ...kind,
    ...(format === 'qcow2' && diskBytes !== undefined && { diskBytes }),
    ...(problem !== undefined && { problem }),
  };
}

/** So much of a compressed file is enough to have its beginning. */
const PACKED_BYTES = 1 << 18;

async function unpackedHead(file: Blob): Promise<Uint8Array> {
  const reader = file.slice(0, PACKED_BYTES).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const head = new Uint8Array(HEAD_BYTES);
  let length = 0;
  try {
    while (length < HEAD_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      head.set(value.subarray(0, HEAD_BYTES - length), length);
      length += value.length;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  return head.subarray(0, Math.min(length, HEAD_BYTES));
}
