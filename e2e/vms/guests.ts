import { bootSectorFarewell, bootSectorMarker } from '@vireo/node';
import { bootDisk, ENTRY, HEAR_BUTTON, POWER_OFF, PRINT } from '@vireo/node/guestImage/bootSectorParts.ts';
import { address, code, far, label, near, text } from '@vireo/node/guestImage/machineCode.ts';

/**
 * Guests of one sector that behave as a test needs it. All say that they are there on the first serial port.
 *
 * - `obedient` does what is typed on its console: `p` powers off, `r` reboots, `c` crashes. It hears its power button.
 * - `deaf` does the same, but does not hear its power button.
 * - `crashing` crashes as soon as it runs.
 */
export const GUESTS = { obedient: guest({ hearsButton: true }), deaf: guest({}), crashing: guest({ crashes: true }) };

interface Behaviour {
  readonly hearsButton?: boolean;
  readonly crashes?: boolean;
}

function guest({ hearsButton = false, crashes = false }: Behaviour): Buffer {
  return bootDisk([
    ...ENTRY,
    code(0xbe, address('ready')), // mov si, ready
    code(0xe8, far('print')), // call print
    code(crashes ? 0xeb : 0xa8, crashes ? near('crash') : 0x00), // jmp crash, or nothing
    ...HEAR_BUTTON,
    label('wait'),
    code(0xf4), // hlt; the timer wakes it 18 times a second
    code(0xba, 0x00, 0x06), // mov dx, 0x600
    code(0xed), // in ax, dx
    code(0xf6, 0xc4, hearsButton ? 0x01 : 0x00), // test ah, 1; pressed?
    code(0x75, near('off')), // jnz off
    code(0xba, 0xfd, 0x03), // mov dx, 0x3fd
    code(0xec), // in al, dx
    code(0xa8, 0x01), // test al, 1; anything typed?
    code(0x74, near('wait')), // jz wait
    code(0xb2, 0xf8), // mov dl, 0xf8
    code(0xec), // in al, dx
    code(0x3c, 'p'.charCodeAt(0)), // cmp al, 'p'
    code(0x74, near('off')), // je off
    code(0x3c, 'r'.charCodeAt(0)), // cmp al, 'r'
    code(0x74, near('reboot')), // je reboot
    code(0x3c, 'c'.charCodeAt(0)), // cmp al, 'c'
    code(0x75, near('wait')), // jne wait
    label('crash'),
    code(0xba, 0x05, 0x05), // mov dx, 0x505; the panic device
    code(0xb0, 0x01), // mov al, 1
    code(0xee), // out dx, al
    code(0xeb, near('crash')), // jmp crash
    label('reboot'),
    code(0xb0, 0xfe), // mov al, 0xfe; by the keyboard controller
    code(0xe6, 0x64), // out 0x64, al
    code(0xeb, near('reboot')), // jmp reboot
    label('off'),
    code(0xbe, address('bye')), // mov si, bye
    code(0xe8, far('print')), // call print
    ...POWER_OFF,
    ...PRINT,
    label('ready'),
    text(`\r\n${bootSectorMarker}\r\n`),
    label('bye'),
    text(`${bootSectorFarewell}\r\n`),
  ]);
}
