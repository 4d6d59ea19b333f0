import { BadImage } from './badImage.ts';
import { QCOW2_HEAD_BYTES } from './qcow2Header.ts';

/** How data is packed. */
export type Compression = 'gzip' | 'xz' | 'zstd';

/** What data is, judged by how it begins: packed, an image, or, where nothing speaks against it, the disk itself. */
export type Format = Compression | 'qcow2' | 'raw';

/** As much as has to be seen, of an image too. */
export const HEAD_BYTES = QCOW2_HEAD_BYTES;

const MAGIC: readonly (readonly [format: Format, bytes: Buffer, at: number])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b]), 0],
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), 0],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 0],
  ['qcow2', Buffer.from([0x51, 0x46, 0x49, 0xfb]), 0],
];

/** Known, and refused: some of them name other files of the host, and QEMU would open those. */
const REFUSED: readonly (readonly [what: string, bytes: Buffer, at: number])[] = [
  ['a VMDK image', Buffer.from('KDMV'), 0],
  ['a VMDK image', Buffer.from('COWD'), 0],
  ['a VMDK descriptor', Buffer.from('# Disk DescriptorFile'), 0],
  ['a VHDX image', Buffer.from('vhdxfile'), 0],
  ['a VHD image', Buffer.from('conectix'), 0],
  ['a VDI image', Buffer.from([0x7f, 0x10, 0xda, 0xbe]), 64],
  ['a QED image', Buffer.from('QED\0'), 0],
  ['a tar archive', Buffer.from('ustar'), 257],
  ['a zip archive', Buffer.from('PK\x03\x04'), 0],
  ['a bzip2 file', Buffer.from('BZh'), 0],
];

/** Recognises data. An ISO is a disk as it is. */
export function formatOf(head: Buffer): Format {
  const begins = (bytes: Buffer, at: number): boolean => head.subarray(at, at + bytes.length).equals(bytes);
  const refused = REFUSED.find(([, bytes, at]) => begins(bytes, at));
  if (refused)
    throw new BadImage(
      `the data is ${refused[0]}; convert it to raw or qcow2 first (qemu-img convert -O qcow2); gzip, xz and zstd compression are supported`,
    );
  return MAGIC.find(([, bytes, at]) => begins(bytes, at))?.[0] ?? 'raw';
}

export const isCompression = (format: Format): format is Compression =>
  format === 'gzip' || format === 'xz' || format === 'zstd';
