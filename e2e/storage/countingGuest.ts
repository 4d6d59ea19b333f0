import {
  bootDisk,
  ENTRY,
  HEAR_BUTTON,
  POWER_OFF,
  PRINT,
  WAIT_FOR_BUTTON,
} from '@vireo/node/guestImage/bootSectorParts.ts';
import { address, code, far, label, near, text } from '@vireo/node/guestImage/machineCode.ts';

/**
 * A disk whose guest counts on it how often it was booted, up to 9, and says so on the first serial port. What it says
 * after a restart tells whether what guests write stays. It hears its power button.
 */
export function countingDisk(): Buffer {
  return bootDisk([
    ...ENTRY,
    code(0xb6, 0x00), // mov dh, 0
    code(0x52), // push dx
    code(0xb8, 0x01, 0x02), // mov ax, 0x0201; read one sector
    code(0xb9, 0x02, 0x00), // mov cx, 2; the second
    code(0xbb, 0x00, 0x80), // mov bx, 0x8000
    code(0xcd, 0x13), // int 0x13
    code(0xfe, 0x06, 0x00, 0x80), // inc byte [0x8000]
    code(0x5a), // pop dx
    code(0xb8, 0x01, 0x03), // mov ax, 0x0301; write it back
    code(0xb9, 0x02, 0x00), // mov cx, 2
    code(0xbb, 0x00, 0x80), // mov bx, 0x8000
    code(0xcd, 0x13), // int 0x13
    code(0xa0, 0x00, 0x80), // mov al, [0x8000]
    code(0x04, 0x30), // add al, '0'
    code(0xa2, address('count')), // mov [count], al
    code(0xbe, address('said')), // mov si, said
    code(0xe8, far('print')), // call print
    ...HEAR_BUTTON,
    label('wait'),
    ...WAIT_FOR_BUTTON,
    code(0x74, near('wait')), // jz wait
    ...POWER_OFF,
    ...PRINT,
    label('said'),
    code(...Buffer.from('\r\ncounted boots: ')),
    label('count'),
    text('0\r\n'),
  ]);
}
