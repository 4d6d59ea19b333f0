import { open } from 'node:fs/promises';
import { OciError } from './errors.ts';

/** What a disk file is. */
export interface DiskFormat {
  readonly format: 'qcow2' | 'raw';
  /** How large the guest sees it. */
  readonly virtualBytes: number;
}

const QCOW2 = Buffer.from('QFI\xfb', 'latin1');
const EXTERNAL_DATA = 4n;

const UNSUPPORTED: readonly (readonly [magic: Buffer, name: string])[] = [
  [Buffer.from('KDMV'), 'a VMDK disk'],
  [Buffer.from('# Disk DescriptorFile'), 'the descriptor of a VMDK disk'],
  [Buffer.from('vhdxfile'), 'a VHDX disk'],
  [Buffer.from('conectix'), 'a VHD disk'],
  [Buffer.from([0x1f, 0x8b]), 'compressed with gzip'],
  [Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), 'compressed with xz'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'compressed with zstd'],
];

/**
 * Recognises a disk file by its content. A qcow2 file that reads other files is refused: whoever made it would choose
 * which files of this host a guest sees.
 */
export async function diskFormat(path: string, name: string): Promise<DiskFormat> {
  const file = await open(path, 'r');
  try {
    const header = Buffer.alloc(104);
    const { bytesRead } = await file.read(header, 0, header.length, 0);
    const { size } = await file.stat();
    return recognise(header.subarray(0, bytesRead), size, name);
  } finally {
    await file.close();
  }
}

/** The same from the first bytes of a file. */
export function recognise(header: Buffer, sizeBytes: number, name: string): DiskFormat {
  const refuse = (why: string): never => {
    throw new OciError('BadDisk', `${name} ${why}`);
  };
  if (sizeBytes === 0) refuse('is empty');
  const other = UNSUPPORTED.find(([magic]) => header.subarray(0, magic.length).equals(magic));
  if (other) refuse(`is ${other[1]}; only raw and qcow2 disks are supported (convert it with qemu-img convert)`);
  if (!header.subarray(0, 4).equals(QCOW2)) return { format: 'raw', virtualBytes: sizeBytes };
  const version = header.length >= 8 ? header.readUInt32BE(4) : 0;
  if (header.length < 72 || (version !== 2 && version !== 3))
    refuse(`is a qcow2 disk of unsupported version ${version}`);
  if (header.readBigUInt64BE(8) !== 0n) refuse('is a qcow2 disk with a backing file; flatten it with qemu-img convert');
  const isExtended = version === 3 && header.length >= 80;
  if (isExtended && header.readBigUInt64BE(72) & EXTERNAL_DATA)
    refuse('is a qcow2 disk with an external data file; flatten it with qemu-img convert');
  if (header.readUInt32BE(32) !== 0) refuse('is an encrypted qcow2 disk');
  const virtualBytes = header.readBigUInt64BE(24);
  if (virtualBytes === 0n || virtualBytes > BigInt(Number.MAX_SAFE_INTEGER))
    refuse(`is a qcow2 disk with an unsupported size of ${virtualBytes} bytes`);
  return { format: 'qcow2', virtualBytes: Number(virtualBytes) };
}
