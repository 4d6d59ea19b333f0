/** What the first bytes of a file say that it is. */
export interface FileKind {
  readonly format: 'raw' | 'qcow2' | 'iso' | 'gzip' | 'xz' | 'zstd' | 'unsupported';
  /** In words. */
  readonly label: string;
  /** How large the disk in it is, where that can be known. */
  readonly diskBytes?: number;
  /** Why the server would not take it. */
  readonly problem?: string;
}

/** So much of the beginning is looked at: an ISO says what it is after 32 KiB. */
export const HEAD_BYTES = 40_960;

const startsWith = (bytes: Uint8Array, ...start: number[]): boolean => start.every((byte, at) => bytes[at] === byte);
const ascii = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** What a file is, by its beginning and its size. The server looks for itself; this is to suggest and to warn early. */
export function fileKind(head: Uint8Array, fileBytes: number): FileKind {
  if (ascii(head, 0, 3) === 'QFI' && head[3] === 0xfb) return qcow2(head);
  if (startsWith(head, 0x1f, 0x8b)) return { format: 'gzip', label: 'compressed (gzip)' };
  if (startsWith(head, 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)) return { format: 'xz', label: 'compressed (xz)' };
  if (startsWith(head, 0x28, 0xb5, 0x2f, 0xfd)) return { format: 'zstd', label: 'compressed (zstd)' };
  if (ascii(head, 32_769, 5) === 'CD001') return { format: 'iso', label: 'ISO image', diskBytes: fileBytes };
  const other = UNSUPPORTED.find(([magic]) => ascii(head, 0, magic.length) === magic)?.[1];
  if (other) return unsupported(other, `The server does not take ${other}: convert it with qemu-img to qcow2.`);
  return { format: 'raw', label: 'raw disk', diskBytes: fileBytes };
}

const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ['KDMV', 'VMDK disks'],
  ['# Disk DescriptorFile', 'VMDK disks'],
  ['<<< ', 'VDI disks'],
  ['vhdxfile', 'VHDX disks'],
  ['conectix', 'VHD disks'],
  ['PK\u0003\u0004', 'ZIP archives'],
  ['BZh', 'bzip2 files'],
];

const unsupported = (label: string, problem: string): FileKind => ({ format: 'unsupported', label, problem });

/** https://www.qemu.org/docs/master/interop/qcow2.html: all numbers are big-endian. */
function qcow2(head: Uint8Array): FileKind {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (head.byteLength < 72) return unsupported('qcow2', 'The file is too short for a qcow2 image.');
  const version = view.getUint32(4);
  const diskBytes = Number(view.getBigUint64(24));
  const kind = { format: 'qcow2', label: 'qcow2 image', diskBytes } as const;
  if (version < 2 || version > 3) return { ...kind, problem: `qcow2 version ${version} is not supported.` };
  if (view.getBigUint64(8) !== 0n)
    return {
      ...kind,
      problem: 'The image has a backing file, which the server does not take: flatten it with qemu-img convert.',
    };
  if (view.getUint32(32) !== 0) return { ...kind, problem: 'The image is encrypted, which the server does not take.' };
  // Bit 2 of the incompatible features: the data is in another file.
  if (version === 3 && head.byteLength >= 80 && (view.getBigUint64(72) & 4n) !== 0n)
    return { ...kind, problem: 'The image has an external data file, which the server does not take.' };
  return kind;
}
