import { address, assemble, code, far, label, near } from './machineCode.ts';

type Code = ReturnType<typeof code>;

/** Where the BIOS puts a boot sector. */
const ORIGIN = 0x7c00;

/** The BIOS leaves segments and stack undefined; after this, `main` follows. */
export const ENTRY: readonly Code[] = [
  code(0xfa), // cli
  code(0x31, 0xc0), // xor ax, ax
  code(0x8e, 0xd8), // mov ds, ax
  code(0x8e, 0xc0), // mov es, ax
  code(0x8e, 0xd0), // mov ss, ax
  code(0xbc, 0x00, 0x7c), // mov sp, 0x7c00
  code(0xfb, 0xfc), // sti; cld
  code(0xea, address('main'), 0x00, 0x00), // jmp 0:main
  label('main'),
];

/** ACPI's event registers are at 0x600: lets the power button (bit 8) raise its event. */
export const HEAR_BUTTON: readonly Code[] = [
  code(0xba, 0x02, 0x06), // mov dx, 0x602
  code(0xed), // in ax, dx
  code(0x80, 0xcc, 0x01), // or ah, 1
  code(0xef), // out dx, ax
];

/** Sleeps until the timer wakes it, 18 times a second; not zero where the power button was pressed. */
export const WAIT_FOR_BUTTON: readonly Code[] = [
  code(0xf4), // hlt
  code(0xba, 0x00, 0x06), // mov dx, 0x600
  code(0xed), // in ax, dx
  code(0xf6, 0xc4, 0x01), // test ah, 1
];

/** Switches the VM off. */
export const POWER_OFF: readonly Code[] = [
  code(0xba, 0x04, 0x06), // mov dx, 0x604
  code(0xb8, 0x00, 0x20), // mov ax, 0x2000; sleep state 5: off
  code(0xef), // out dx, ax
];

/** `print`: the text at si, up to its zero, to the first serial port; `send`: the byte in al. */
export const PRINT: readonly Code[] = [
  label('print'),
  code(0xac), // lodsb
  code(0x84, 0xc0), // test al, al
  code(0x74, near('return')), // jz return
  code(0xe8, far('send')), // call send
  code(0xeb, near('print')), // jmp print
  label('send'),
  code(0x88, 0xc4), // mov ah, al
  code(0xba, 0xfd, 0x03), // mov dx, 0x3fd
  label('busy'),
  code(0xec), // in al, dx
  code(0xa8, 0x20), // test al, 0x20; room for another byte?
  code(0x74, near('busy')), // jz busy
  code(0x88, 0xe0), // mov al, ah
  code(0xb2, 0xf8), // mov dl, 0xf8
  code(0xee), // out dx, al
  label('return'),
  code(0xc3), // ret
];

/** The 512 bytes that a BIOS boots. */
export function bootSector(program: readonly Code[]): Buffer {
  const sector = Buffer.alloc(512);
  const bytes = assemble(ORIGIN, program);
  if (bytes.length > 510) throw new Error(`a boot sector has room for 510 bytes of code, not for ${bytes.length}`);
  bytes.copy(sector);
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}

/** A raw disk of 1 MiB that boots the program. */
export function bootDisk(program: readonly Code[]): Buffer {
  const disk = Buffer.alloc(1 << 20);
  bootSector(program).copy(disk);
  return disk;
}
