import { isoImage } from '../iso9660.ts';
import { address, assemble, code, far, label, near, text } from './machineCode.ts';

/** What the guest prints on the first serial port when it runs, and when the power button ends it. */
export const bootSectorMarker = 'vireo: boot sector ready';
export const bootSectorFarewell = 'vireo: going down';

/**
 * A guest in 512 bytes, for tests and for many machines at once: prints a marker on the first serial port, sends back
 * what it receives there, and switches the machine off when the ACPI power button is pressed. For a BIOS.
 */
export function bootSectorGuest(): Buffer {
  const sector = Buffer.alloc(512);
  const program = assemble(0x7c00, [
    // The BIOS leaves segments and stack undefined.
    code(0xfa), // cli
    code(0x31, 0xc0), // xor ax, ax
    code(0x8e, 0xd8), // mov ds, ax
    code(0x8e, 0xd0), // mov ss, ax
    code(0xbc, 0x00, 0x7c), // mov sp, 0x7c00
    code(0xfb, 0xfc), // sti; cld
    code(0xea, address('main'), 0x00, 0x00), // jmp 0:main
    label('main'),
    code(0xbe, address('ready')), // mov si, ready
    code(0xe8, far('print')), // call print
    // ACPI's event registers are at 0x600: let the power button (bit 8) raise its event.
    code(0xba, 0x02, 0x06), // mov dx, 0x602
    code(0xed), // in ax, dx
    code(0x80, 0xcc, 0x01), // or ah, 1
    code(0xef), // out dx, ax
    label('wait'),
    code(0xf4), // hlt; the timer wakes it 18 times a second
    code(0xba, 0x00, 0x06), // mov dx, 0x600
    code(0xed), // in ax, dx
    code(0xf6, 0xc4, 0x01), // test ah, 1; pressed?
    code(0x74, near('receive')), // jz receive
    code(0xbe, address('bye')), // mov si, bye
    code(0xe8, far('print')), // call print
    code(0xba, 0x04, 0x06), // mov dx, 0x604
    code(0xb8, 0x00, 0x20), // mov ax, 0x2000; sleep state 5: off
    code(0xef), // out dx, ax
    label('receive'),
    code(0xba, 0xfd, 0x03), // mov dx, 0x3fd
    code(0xec), // in al, dx
    code(0xa8, 0x01), // test al, 1; anything received?
    code(0x74, near('wait')), // jz wait
    code(0xb2, 0xf8), // mov dl, 0xf8
    code(0xec), // in al, dx
    code(0xe8, far('send')), // call send
    code(0xeb, near('receive')), // jmp receive
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
    label('ready'),
    text(`\r\n${bootSectorMarker}\r\n`),
    label('bye'),
    text(`${bootSectorFarewell}\r\n`),
  ]);
  program.copy(sector);
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}

/** The guest as the raw disk that hypervisors take: its sector and zeros up to 1 MiB. */
export function bootSectorDisk(): Buffer {
  const disk = Buffer.alloc(1 << 20);
  bootSectorGuest().copy(disk);
  return disk;
}

/** The guest as a bootable CD-ROM. */
export const bootSectorIso = (): Buffer =>
  isoImage({ volumeLabel: 'VIREO-BOOT', files: {}, bootSector: bootSectorGuest() });
