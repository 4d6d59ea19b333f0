import { address32, assemble, code, label, near } from './machineCode.ts';

/** Where a boot loader puts what follows the setup sectors, and where in it the kernel proper begins. */
const loadAddress = 0x10_0000;
const stubBytes = 4096;
/** Six pages that are free once the kernel has moved away from where it was loaded. */
const pageTables = 0x20_0000;

/** The fields of a bzImage's header that matter here, as offsets into the file. */
const header = {
  setupSectors: 0x1f1,
  size: 0x1f4,
  isRelocatable: 0x234,
  extendedFlags: 0x236,
  payloadOffset: 0x248,
  payloadLength: 0x24c,
  preferredAddress: 0x258,
  memoryNeeded: 0x260,
} as const;

/** The compressed kernel inside a bzImage: an xz file in Debian 12. */
export function compressedKernel(bzImage: Buffer): Buffer {
  const start = setupBytes(bzImage) + bzImage.readUInt32LE(header.payloadOffset);
  // The size when unpacked is appended to the payload.
  return bzImage.subarray(start, start + bzImage.readUInt32LE(header.payloadLength) - 4);
}

/**
 * A bzImage whose kernel is not compressed. An emulated processor takes longer to unpack Debian's kernel than to do
 * all the rest of the kernel's start. The setup code is the original's; instead of the unpacking code comes a stub
 * that moves the kernel where it belongs and enters it. For a BIOS; UEFI needs the original.
 */
export function plainKernel(bzImage: Buffer, vmlinux: Buffer): Buffer {
  const segments = loadedSegments(vmlinux);
  const start = Math.min(...segments.map(({ address }) => address));
  const end = Math.max(...segments.map(({ address, bytes }) => address + bytes));
  const kernel = Buffer.alloc(end - start);
  for (const { offset, address, bytes } of segments) vmlinux.copy(kernel, address - start, offset, offset + bytes);

  const setup = Buffer.from(bzImage.subarray(0, setupBytes(bzImage)));
  const stub = entryStub({
    entry: Number(vmlinux.readBigUInt64LE(24)),
    start,
    end,
    bytes: withoutZeros(kernel).length,
  });
  const body = Buffer.concat([stub, withoutZeros(kernel)]);
  setup.writeUInt32LE(Math.ceil(body.length / 16), header.size);
  setup.writeUInt8(0, header.isRelocatable);
  setup.writeUInt16LE(0, header.extendedFlags);
  setup.writeBigUInt64LE(BigInt(loadAddress), header.preferredAddress);
  setup.writeUInt32LE(end - loadAddress, header.memoryNeeded);
  return Buffer.concat([setup, body]);
}

const setupBytes = (bzImage: Buffer): number => (bzImage.readUInt8(header.setupSectors) + 1) * 512;

interface Segment {
  readonly offset: number;
  readonly address: number;
  readonly bytes: number;
}

/** The parts of an ELF program that are loaded into memory, with their physical addresses. */
function loadedSegments(elf: Buffer): Segment[] {
  if (elf.toString('latin1', 1, 4) !== 'ELF') throw new Error('the unpacked kernel is not an ELF program');
  const table = Number(elf.readBigUInt64LE(32));
  const entries = Array.from({ length: elf.readUInt16LE(56) }, (_, index) => table + index * elf.readUInt16LE(54));
  const number = (at: number) => Number(elf.readBigUInt64LE(at));
  return entries
    .filter((at) => elf.readUInt32LE(at) === 1)
    .map((at) => ({
      offset: number(at + 8),
      address: number(at + 24),
      bytes: number(at + 32),
    }));
}

/** What is left without zeros at the end, in whole words: much of a kernel is memory that is zero at first. */
function withoutZeros(data: Buffer): Buffer {
  let length = data.length;
  while (length > 0 && data[length - 1] === 0) length--;
  return data.subarray(0, (length + 3) & ~3);
}

/**
 * Entered by the setup code in 32-bit mode with the boot parameters' address in esi. The kernel wants 64-bit mode,
 * memory mapped to itself, code segment 0x10, and that address in rsi.
 */
function entryStub(kernel: { entry: number; start: number; bytes: number; end: number }): Buffer {
  const { entry, start, bytes, end } = kernel;
  const stub = assemble(loadAddress, [
    code(0xfa), // cli
    code(0x89, 0xf5), // mov ebp, esi
    // The kernel moves up to its place, last word first, for the two places overlap.
    code(0xfd), // std
    code(0xbe, ...number32(loadAddress + stubBytes + bytes - 4)), // mov esi, …
    code(0xbf, ...number32(start + bytes - 4)), // mov edi, …
    code(0xb9, ...number32(bytes / 4)), // mov ecx, …
    code(0xf3, 0xa5), // rep movsd
    code(0xfc), // cld
    code(0x31, 0xc0), // xor eax, eax
    code(0xbf, ...number32(start + bytes)), // mov edi, …
    code(0xb9, ...number32((end - start - bytes) / 4)), // mov ecx, …
    code(0xf3, 0xab), // rep stosd; the zeros that follow
    // Page tables for the first 4 GiB: two upper levels in a page each, then four of entries of 2 MiB.
    code(0xbf, ...number32(pageTables)), // mov edi, pageTables
    code(0xb9, ...number32((6 * 4096) / 4)), // mov ecx, …
    code(0xf3, 0xab), // rep stosd
    code(0xbf, ...number32(pageTables)), // mov edi, pageTables
    code(0xc7, 0x07, ...number32(pageTables + 0x1003)), // mov dword [edi], second level
    ...[0, 1, 2, 3].map((gibibyte) =>
      // mov dword [edi + 0x1000 + gibibyte * 8], a page of the third level
      code(0xc7, 0x87, ...number32(0x1000 + gibibyte * 8), ...number32(pageTables + 0x2003 + gibibyte * 0x1000)),
    ),
    code(0x81, 0xc7, ...number32(0x2000)), // add edi, 0x2000
    code(0xb8, ...number32(0x83)), // mov eax, 0x83; present, writable, 2 MiB
    code(0xb9, ...number32(2048)), // mov ecx, 2048
    label('map'),
    code(0x89, 0x07), // mov [edi], eax
    code(0x83, 0xc7, 0x08), // add edi, 8
    code(0x05, ...number32(0x20_0000)), // add eax, 2 MiB
    code(0xe2, near('map')), // loop map
    // Into 64-bit mode.
    code(0x0f, 0x01, 0x15, address32('gdtPointer')), // lgdt [gdtPointer]
    code(0x0f, 0x20, 0xe0), // mov eax, cr4
    code(0x83, 0xc8, 0x20), // or eax, 0x20; physical address extension
    code(0x0f, 0x22, 0xe0), // mov cr4, eax
    code(0xb8, ...number32(pageTables)), // mov eax, pageTables
    code(0x0f, 0x22, 0xd8), // mov cr3, eax
    code(0xb9, ...number32(0xc000_0080)), // mov ecx, EFER
    code(0x0f, 0x32), // rdmsr
    code(0x0d, ...number32(0x100)), // or eax, 0x100; long mode
    code(0x0f, 0x30), // wrmsr
    code(0x0f, 0x20, 0xc0), // mov eax, cr0
    code(0x0d, ...number32(0x8000_0000)), // or eax, 0x80000000; paging
    code(0x0f, 0x22, 0xc0), // mov cr0, eax
    code(0xea, address32('long'), 0x10, 0x00), // jmp 0x10:long
    label('long'),
    code(0xb8, ...number32(0x18)), // mov eax, 0x18
    code(0x8e, 0xd8), // mov ds, ax
    code(0x8e, 0xc0), // mov es, ax
    code(0x8e, 0xd0), // mov ss, ax
    code(0x89, 0xee), // mov esi, ebp
    code(0xb8, ...number32(entry)), // mov eax, entry
    code(0xff, 0xe0), // jmp rax
    label('gdtPointer'),
    code(0x1f, 0x00, address32('gdt')),
    label('gdt'),
    code(0, 0, 0, 0, 0, 0, 0, 0),
    code(0, 0, 0, 0, 0, 0, 0, 0),
    code(0xff, 0xff, 0, 0, 0, 0x9a, 0xaf, 0), // 0x10: code, 64 bits
    code(0xff, 0xff, 0, 0, 0, 0x92, 0xcf, 0), // 0x18: data
  ]);
  return Buffer.concat([stub], stubBytes);
}

const number32 = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);
