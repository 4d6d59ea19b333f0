import { isoImage } from '../iso9660.ts';
import { bootDisk, bootSector, ENTRY, HEAR_BUTTON, POWER_OFF, PRINT, WAIT_FOR_BUTTON } from './bootSectorParts.ts';
import { address, code, far, label, near, text } from './machineCode.ts';

/** What the guest prints on the first serial port when it runs, and when the power button ends it. */
export const bootSectorMarker = 'vireo: boot sector ready';
export const bootSectorFarewell = 'vireo: going down';

const PROGRAM = [
  ...ENTRY,
  code(0xbe, address('ready')), // mov si, ready
  code(0xe8, far('print')), // call print
  ...HEAR_BUTTON,
  label('wait'),
  ...WAIT_FOR_BUTTON,
  code(0x74, near('receive')), // jz receive
  code(0xbe, address('bye')), // mov si, bye
  code(0xe8, far('print')), // call print
  ...POWER_OFF,
  label('receive'),
  code(0xba, 0xfd, 0x03), // mov dx, 0x3fd
  code(0xec), // in al, dx
  code(0xa8, 0x01), // test al, 1; anything received?
  code(0x74, near('wait')), // jz wait
  code(0xb2, 0xf8), // mov dl, 0xf8
  code(0xec), // in al, dx
  code(0xe8, far('send')), // call send
  code(0xeb, near('receive')), // jmp receive
  ...PRINT,
  label('ready'),
  text(`\r\n${bootSectorMarker}\r\n`),
  label('bye'),
  text(`${bootSectorFarewell}\r\n`),
];

/**
 * A guest in 512 bytes, for tests and for many VMs at once: prints a marker on the first serial port, sends back
 * what it receives there, and switches the VM off when the ACPI power button is pressed. For a BIOS.
 */
export const bootSectorGuest = (): Buffer => bootSector(PROGRAM);

/** The guest as the raw disk that hypervisors take: its sector and zeros up to 1 MiB. */
export const bootSectorDisk = (): Buffer => bootDisk(PROGRAM);

/** The guest as a bootable CD-ROM. */
export const bootSectorIso = (): Buffer =>
  isoImage({ volumeLabel: 'VIREO-BOOT', files: {}, bootSector: bootSectorGuest() });
