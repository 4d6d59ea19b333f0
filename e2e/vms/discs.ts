import { ENTRY, PRINT } from '@vireo/node/guestImage/bootSectorParts.ts';
import { address, assemble, code, far, label, near, text } from '@vireo/node/guestImage/machineCode.ts';
import { isoImage } from '@vireo/node/iso9660.ts';
import { GUESTS } from './guests.ts';

/** A disc with one file, `hello.txt`. */
export const disc = (hello: string): Buffer => isoImage({ volumeLabel: 'HELLO', files: { 'hello.txt': `${hello}\n` } });

const SECTOR_BYTES = 512;
/** Where the BIOS puts what it loads from a disc. */
const ORIGIN = 0x7c00;

/**
 * A disc that installs a system: it writes the boot sector of the `obedient` guest to the first disk, says so, and
 * reboots when anything is typed.
 */
export function installerDisc(): Buffer {
  const installer = assemble(ORIGIN, [
    ...ENTRY,
    code(0xb8, 0x01, 0x03), // mov ax, 0x0301; write one sector
    code(0xbb, 0x00, 0x7e), // mov bx, 0x7e00; which lies behind this one
    code(0xb9, 0x01, 0x00), // mov cx, 1; to the first sector
    code(0xba, 0x80, 0x00), // mov dx, 0x80; of the first disk
    code(0xcd, 0x13), // int 0x13
    code(0xbe, address('failed')), // mov si, failed
    code(0x72, near('tell')), // jc tell
    code(0xbe, address('installed')), // mov si, installed
    label('tell'),
    code(0xe8, far('print')), // call print
    label('wait'),
    code(0xba, 0xfd, 0x03), // mov dx, 0x3fd
    code(0xec), // in al, dx
    code(0xa8, 0x01), // test al, 1; anything typed?
    code(0x74, near('wait')), // jz wait
    label('reboot'),
    code(0xb0, 0xfe), // mov al, 0xfe; by the keyboard controller
    code(0xe6, 0x64), // out 0x64, al
    code(0xeb, near('reboot')), // jmp reboot
    ...PRINT,
    label('installed'),
    text('\r\ninstaller: done\r\n'),
    label('failed'),
    text('\r\ninstaller: cannot write\r\n'),
  ]);
  const bootSector = Buffer.alloc(2 * SECTOR_BYTES);
  installer.copy(bootSector);
  GUESTS.obedient.copy(bootSector, SECTOR_BYTES, 0, SECTOR_BYTES);
  return isoImage({ volumeLabel: 'INSTALLER', files: {}, bootSector });
}
