import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);
export const MIB = 1 << 20;

/** A disk of 4 MiB: data, a hole, data. */
export function sampleDisk(): Buffer {
  const disk = Buffer.alloc(4 * MIB);
  randomBytes(300_000).copy(disk, 0);
  randomBytes(70_000).copy(disk, 3 * MIB + 12_345);
  return disk;
}

/** The same disk as a qcow2 image, made by the real qemu-img. */
export async function qcow2Of(disk: Buffer, directory: string, ...options: string[]): Promise<Buffer> {
  const [raw, image] = [join(directory, 'sample.raw'), join(directory, 'sample.qcow2')];
  await writeFile(raw, disk);
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', ...options, raw, image]);
  const bytes = await readFile(image);
  await Promise.all([raw, image].map((path) => rm(path)));
  return bytes;
}

/** Packs bytes with a program, such as `xz -c`. */
export async function packed(program: string, bytes: Buffer, directory: string): Promise<Buffer> {
  const file = join(directory, 'to-pack');
  await writeFile(file, bytes);
  const { stdout } = await run(program, ['-c', file], { encoding: 'buffer', maxBuffer: 64 * MIB });
  await rm(file);
  return stdout;
}

/** Bytes in pieces, as a network brings them. */
export async function* pieces(bytes: Buffer, size = 10_007): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
