import { address, address32, assemble, code, label, near, text } from './machineCode.ts';

/** What the program prints on the firmware's debug port once it runs in 64-bit mode. */
export const LONG_MODE_REACHED = 'VIREO-LONG-MODE';

/** In the descriptor table below. */
const [CODE_32, DATA, CODE_64] = [0x08, 0x10, 0x18];

/** Where the page tables are built: three pages, identity-mapping the first 2 MiB. */
const TABLES = { root: 0x1_0000, pointers: 0x1_1000, directory: 0x1_2000 } as const;

const int32 = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);

/** mov dword [at], value */
const store = (at: number, value: number) => code(0xc7, 0x05, ...int32(at), ...int32(value));

/** The smallest firmware that QEMU takes: it ends at the top of the first megabyte, and the processor starts 16 bytes below. */
const ROM_BYTES = 0x1_0000;
const RESET_VECTOR = ROM_BYTES - 16;
const COPY = ROM_BYTES - 256;
const PROGRAM = 0x7c00;

/**
 * A firmware that goes the way of every boot loader and kernel: protected mode, a return from an interrupt there, page
 * tables, 64-bit mode. A processor that takes it all the way can boot an operating system. Some that run a BIOS
 * cannot: KVM without hardware below it emulates what comes before 64-bit mode, and knows only a part of it.
 */
export function longModeFirmware(): Buffer {
  const rom = Buffer.alloc(ROM_BYTES);
  assemble(PROGRAM, program()).copy(rom);
  assemble(COPY, copyProgram()).copy(rom, COPY);
  assemble(RESET_VECTOR, [code(0xea, COPY & 0xff, COPY >> 8, 0x00, 0xf0)]).copy(rom, RESET_VECTOR); // jmp f000:COPY
  return rom;
}

/** From the ROM, where a program cannot write, to memory. */
const copyProgram = () => [
  code(0xfa, 0xfc), // cli; cld
  code(0xb8, 0x00, 0xf0), // mov ax, 0xf000
  code(0x8e, 0xd8), // mov ds, ax
  code(0x31, 0xf6), // xor si, si
  code(0x31, 0xc0), // xor ax, ax
  code(0x8e, 0xc0), // mov es, ax
  code(0xbf, PROGRAM & 0xff, PROGRAM >> 8), // mov di, PROGRAM
  code(0xb9, 0x00, 0x01), // mov cx, 256
  code(0xf3, 0xa5), // rep movsw
  code(0x8e, 0xd8), // mov ds, ax
  code(0xea, PROGRAM & 0xff, PROGRAM >> 8, 0x00, 0x00), // jmp 0:PROGRAM
];

const program = () => [
  code(0x0f, 0x01, 0x16, address('table')), // lgdt [table]
  code(0x0f, 0x20, 0xc0), // mov eax, cr0
  code(0x0c, 0x01), // or al, 1; protected mode
  code(0x0f, 0x22, 0xc0), // mov cr0, eax
  code(0xea, address('protected'), CODE_32, 0x00), // jmp CODE_32:protected

  label('protected'), // 32-bit code from here
  code(0x66, 0xb8, DATA, 0x00), // mov ax, DATA
  code(0x8e, 0xd8), // mov ds, ax
  code(0x8e, 0xc0), // mov es, ax
  code(0x8e, 0xd0), // mov ss, ax
  code(0xbc, ...int32(0x7c00)), // mov esp, 0x7c00
  code(0x9c), // pushfd
  code(0x6a, CODE_32), // push CODE_32
  code(0x68, address32('returned')), // push returned
  code(0xcf), // iret
  label('returned'),
  code(0xbf, ...int32(TABLES.root)), // mov edi, root
  code(0x31, 0xc0), // xor eax, eax
  code(0xb9, ...int32(0xc00)), // mov ecx, 0xc00; three pages
  code(0xf3, 0xab), // rep stosd
  store(TABLES.root, TABLES.pointers | 0x3), // present, writable
  store(TABLES.pointers, TABLES.directory | 0x3),
  store(TABLES.directory, 0x83), // a page of 2 MiB at 0
  code(0x0f, 0x20, 0xe0), // mov eax, cr4
  code(0x0c, 0x20), // or al, 0x20; physical address extension
  code(0x0f, 0x22, 0xe0), // mov cr4, eax
  code(0xb8, ...int32(TABLES.root)), // mov eax, root
  code(0x0f, 0x22, 0xd8), // mov cr3, eax
  code(0xb9, ...int32(0xc000_0080)), // mov ecx, EFER
  code(0x0f, 0x32), // rdmsr
  code(0x80, 0xcc, 0x01), // or ah, 1; 64-bit mode enabled
  code(0x0f, 0x30), // wrmsr
  code(0x0f, 0x20, 0xc0), // mov eax, cr0
  code(0x0d, ...int32(0x8000_0000)), // or eax, 0x80000000; paging
  code(0x0f, 0x22, 0xc0), // mov cr0, eax
  code(0xea, address32('long'), CODE_64, 0x00), // jmp CODE_64:long

  label('long'), // 64-bit code from here
  code(0x48, 0xbe, address32('sign'), ...int32(0)), // mov rsi, sign: as an immediate of 64 bits
  code(0x66, 0xba, 0x02, 0x04), // mov dx, 0x402; the debug port
  label('print'),
  code(0xac), // lodsb
  code(0x84, 0xc0), // test al, al
  code(0x74, near('halt')), // jz halt
  code(0xee), // out dx, al
  code(0xeb, near('print')), // jmp print
  label('halt'),
  code(0xf4), // hlt
  code(0xeb, near('halt')), // jmp halt

  label('sign'),
  text(LONG_MODE_REACHED),
  label('descriptors'),
  code(0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00),
  code(0xff, 0xff, 0x00, 0x00, 0x00, 0x9a, 0xcf, 0x00), // CODE_32
  code(0xff, 0xff, 0x00, 0x00, 0x00, 0x92, 0xcf, 0x00), // DATA
  code(0xff, 0xff, 0x00, 0x00, 0x00, 0x9a, 0xaf, 0x00), // CODE_64
  label('table'),
  code(0x1f, 0x00, address32('descriptors')),
];
