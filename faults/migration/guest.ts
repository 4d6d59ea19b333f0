import {
  bootDisk,
  ENTRY,
  HEAR_BUTTON,
  POWER_OFF,
  PRINT,
  WAIT_FOR_BUTTON,
} from '@vireo/node/guestImage/bootSectorParts.ts';
import { address, code, far, label, near, text } from '@vireo/node/guestImage/machineCode.ts';

/** How many sectors the guest writes to, one after the other and then the first again; every other one on its second disk. */
export const SECTORS = 32;

/** What the guest prints when a sector is not as it has written it. */
export const DAMAGED = 'BAD';

/** Where sectors are read to and written from. */
const BUFFER = [0x00, 0x80];

/**
 * A guest that notices when a disk or its memory is not its own: 18 times a second it counts, fills a sector with the
 * number, and prints it. Even numbers are on its first disk, odd ones on its second. Before it overwrites a sector, it
 * reads it: there must be the number of 32 numbers ago, in all 128 places. `p` on its console powers it off, and so does its power button.
 */
export const WRITER: Buffer = bootDisk([
  ...ENTRY,
  ...HEAR_BUTTON,
  label('wait'),
  ...WAIT_FOR_BUTTON,
  code(0x75, near('off')), // jnz off
  code(0xba, 0xfd, 0x03), // mov dx, 0x3fd
  code(0xec), // in al, dx
  code(0xa8, 0x01), // test al, 1; anything typed?
  code(0x74, near('count')), // jz count
  code(0xb2, 0xf8), // mov dl, 0xf8
  code(0xec), // in al, dx
  code(0x3c, 'p'.charCodeAt(0)), // cmp al, 'p'
  code(0x75, near('count')), // jne count
  label('off'),
  ...POWER_OFF,
  label('count'),
  code(0x66, 0xa1, address('number')), // mov eax, [number]
  code(0x66, 0x83, 0xe0, SECTORS - 1), // and eax, 31
  code(0x66, 0x40), // inc eax; behind the boot sector
  code(0x66, 0xa3, address('sector')), // mov [sector], eax
  code(0x66, 0xa1, address('number')), // mov eax, [number]
  code(0x66, 0x83, 0xe8, SECTORS), // sub eax, 32
  code(0x72, near('write')), // jb write; nothing was written there yet
  code(0x66, 0x50), // push eax
  code(0xb4, 0x42), // mov ah, 0x42; read
  code(0xe8, far('disk')), // call disk
  code(0x66, 0x58), // pop eax
  code(0x72, near('bad')), // jc bad
  code(0xbf, ...BUFFER), // mov di, buffer
  code(0xb9, 0x80, 0x00), // mov cx, 128
  code(0xf3, 0x66, 0xaf), // repe scasd
  code(0x75, near('bad')), // jne bad
  label('write'),
  code(0x66, 0xa1, address('number')), // mov eax, [number]
  code(0xbf, ...BUFFER), // mov di, buffer
  code(0xb9, 0x80, 0x00), // mov cx, 128
  code(0xf3, 0x66, 0xab), // rep stosd
  code(0xb8, 0x00, 0x43), // mov ax, 0x4300; write
  code(0xe8, far('disk')), // call disk
  code(0x72, near('bad')), // jc bad
  code(0x66, 0xa1, address('number')), // mov eax, [number]
  code(0xb9, 0x08, 0x00), // mov cx, 8
  label('hex'),
  code(0x66, 0xc1, 0xc0, 0x04), // rol eax, 4
  code(0x66, 0x50), // push eax
  code(0x24, 0x0f), // and al, 15
  code(0x04, 0x30), // add al, '0'
  code(0x3c, 0x39), // cmp al, '9'
  code(0x76, near('digit')), // jbe digit
  code(0x04, 0x27), // add al, 'a' - '9' - 1
  label('digit'),
  code(0xe8, far('send')), // call send
  code(0x66, 0x58), // pop eax
  code(0xe2, near('hex')), // loop hex
  code(0xb0, 0x0a), // mov al, '\n'
  code(0xe8, far('send')), // call send
  code(0x66, 0xff, 0x06, address('number')), // inc dword [number]
  code(0xe9, far('wait')), // jmp wait
  label('bad'),
  code(0xbe, address('damaged')), // mov si, damaged
  code(0xe8, far('print')), // call print
  code(0xe9, far('wait')), // jmp wait
  label('disk'),
  code(0xbe, address('packet')), // mov si, packet
  code(0x8a, 0x16, address('number')), // mov dl, [number]
  code(0x80, 0xe2, 0x01), // and dl, 1
  code(0x80, 0xca, 0x80), // or dl, 0x80; the first disk or the second
  code(0xcd, 0x13), // int 0x13
  code(0xc3), // ret
  ...PRINT,
  label('damaged'),
  text(`${DAMAGED}\n`),
  label('packet'),
  code(0x10, 0x00, 0x01, 0x00, ...BUFFER, 0x00, 0x00), // one sector, to or from the buffer
  label('sector'),
  code(0, 0, 0, 0, 0, 0, 0, 0),
  label('number'),
  code(0, 0, 0, 0),
]);
