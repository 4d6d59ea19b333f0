import { address, address32, assemble, code, label, near } from '../guestImage/machineCode.ts';

/**
 * A disk whose guest writes to its memory without end, so that no copy of it is ever complete while it runs. It sends back
 * what it receives on its serial port.
 */
export function busyDisk(mib: number): Buffer {
  const disk = Buffer.alloc(1 << 20);
  const program = assemble(0x7c00, [
    code(0xfa), // cli
    code(0x31, 0xc0), // xor ax, ax
    code(0x8e, 0xd8), // mov ds, ax
    code(0x0f, 0x01, 0x16, address('gdtr')), // lgdt [gdtr]
    code(0x0f, 0x20, 0xc0), // mov eax, cr0
    code(0x0c, 0x01), // or al, 1
    code(0x0f, 0x22, 0xc0), // mov cr0, eax
    code(0xea, address('flat'), 0x08, 0x00), // jmp 8:flat
    label('flat'),
    code(0x66, 0xb8, 0x10, 0x00), // mov ax, 16
    code(0x8e, 0xd8), // mov ds, ax
    code(0x8e, 0xc0), // mov es, ax
    code(0xfc), // cld
    code(0x31, 0xdb), // xor ebx, ebx
    label('write'),
    code(0x43), // inc ebx
    code(0x89, 0xd8), // mov eax, ebx
    code(0xbf, ...bytes(1 << 20)), // mov edi, 1 MiB
    code(0xb9, ...bytes((mib << 20) / 4)), // mov ecx, words
    code(0xf3, 0xab), // rep stosd
    label('receive'),
    code(0x66, 0xba, 0xfd, 0x03), // mov dx, 0x3fd
    code(0xec), // in al, dx
    code(0xa8, 0x01), // test al, 1
    code(0x74, near('write')), // jz write
    code(0xb2, 0xf8), // mov dl, 0xf8
    code(0xec), // in al, dx
    code(0xee), // out dx, al
    code(0xeb, near('receive')), // jmp receive
    label('gdt'),
    code(...bytes(0), ...bytes(0)),
    code(0xff, 0xff, 0, 0, 0, 0x9a, 0xcf, 0), // code, all of memory
    code(0xff, 0xff, 0, 0, 0, 0x92, 0xcf, 0), // data, all of memory
    label('gdtr'),
    code(23, 0, address32('gdt')),
  ]);
  program.copy(disk);
  disk.writeUInt16LE(0xaa55, 510);
  return disk;
}

const bytes = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);
