import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { LocalImage } from './images.ts';

const MAGIC = 0x514649fb;
const BACKING_FORMAT = 0xe2792aca;
const DATA_FILE = 0x44415441;
/** The header, what extends it and the names are in the first cluster; QEMU's own are as large as this. */
const HEAD_BYTES = 65_536;
const MOST_FILES = 64;

/**
 * The files of an image: itself and what it lies on, under the names that QEMU opens them by. What is not on this host is
 * left out.
 */
export async function imageFiles(image: LocalImage): Promise<string[]> {
  const files = [image.path];
  let path: string | undefined = image.format === 'qcow2' ? image.path : undefined;
  while (path !== undefined) {
    const { backing, dataFile, isRaw } = await readNames(path);
    const names = [dataFile, backing].map((name) => onHost(path as string, name));
    files.push(...names.filter((name) => name !== undefined));
    if (files.length > MOST_FILES) throw new Error(`${image.path} lies on more than ${MOST_FILES} files`);
    path = isRaw ? undefined : names[1];
  }
  return files;
}

/** Names count from the file that they are in. `nbd:` and others lead elsewhere. */
function onHost(path: string, name: string | undefined): string | undefined {
  const file = name?.replace(/^file:/, '');
  return file === undefined || /^[a-z][a-z0-9+.-]*:/i.test(file) ? undefined : resolve(dirname(path), file);
}

interface Names {
  readonly backing?: string;
  /** Whether nothing is to be looked for in the backing file. */
  readonly isRaw?: boolean;
  readonly dataFile?: string;
}

async function readNames(path: string): Promise<Names> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return namesIn(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

function namesIn(head: Buffer): Names {
  if (head.length < 72 || head.readUInt32BE(0) !== MAGIC) return {};
  const at = Number(head.readBigUInt64BE(8));
  const backing = at > 0 ? head.toString('utf8', at, at + head.readUInt32BE(16)) : undefined;
  const extensions = extensionsIn(head, head.readUInt32BE(4) >= 3 && head.length >= 104 ? head.readUInt32BE(100) : 72);
  const dataFile = extensions.get(DATA_FILE);
  return {
    ...(backing !== undefined && { backing, isRaw: extensions.get(BACKING_FORMAT) === 'raw' }),
    ...(dataFile !== undefined && { dataFile }),
  };
}

function extensionsIn(head: Buffer, start: number): Map<number, string> {
  const found = new Map<number, string>();
  for (let at = start; at + 8 <= head.length; ) {
    const type = head.readUInt32BE(at);
    if (type === 0) break;
    const length = head.readUInt32BE(at + 4);
    found.set(type, head.toString('utf8', at + 8, at + 8 + length));
    at += 8 + Math.ceil(length / 8) * 8;
  }
  return found;
}
