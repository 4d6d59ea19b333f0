import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** A directory as a cpio archive in the `newc` format that Linux unpacks as its initramfs. Everything belongs to root. */
export async function cpioArchive(directory: string): Promise<Buffer> {
  const paths = (await readdir(directory, { recursive: true })).sort();
  const parts: Buffer[] = [];
  for (const [index, path] of paths.entries()) {
    const source = join(directory, path);
    const stats = await lstat(source);
    const content = stats.isSymbolicLink()
      ? Buffer.from(await readlink(source))
      : stats.isFile()
        ? await readFile(source)
        : Buffer.alloc(0);
    parts.push(cpioEntry(path, stats.mode, index + 1, content));
  }
  parts.push(cpioEntry('TRAILER!!!', 0, 0, Buffer.alloc(0)));
  return Buffer.concat(parts);
}

/** Header, name and content, the latter two each padded to four bytes. */
function cpioEntry(path: string, mode: number, inode: number, content: Buffer): Buffer {
  const name = Buffer.from(`${path}\0`);
  const fields = [inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, name.length, 0];
  const header = Buffer.from(`070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`);
  const padding = (length: number) => Buffer.alloc(-length & 3);
  return Buffer.concat([header, name, padding(header.length + name.length), content, padding(content.length)]);
}
