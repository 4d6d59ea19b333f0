import { address, assemble, code, far, label, near, text } from '@vireo/node/guestImage/machineCode.ts';

/**
 * A disk whose guest counts on it how often it was booted, up to 9, and says so on the first serial port. What it says
 * after a restart tells whether what guests write stays. It hears its power button.
 */
export function countingDisk(): Buffer {
  const program = assemble(0x7c00, [
    code(0xfa), // cli
    code(0x31, 0xc0), // xor ax, ax
    code(0x8e, 0xd8), // mov ds, ax
    code(0x8e, 0xc0), // mov es, ax
    code(0x8e, 0xd0), // mov ss, ax
    code(0xbc, 0x00, 0x7c), // mov sp, 0x7c00
    code(0xfb, 0xfc), // sti; cld
    code(0xea, address('main'), 0x00, 0x00), // jmp 0:main
    label('main'),
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
    code(0xba, 0x02, 0x06), // mov dx, 0x602; let the power button raise its event
    code(0xed), // in ax, dx
    code(0x80, 0xcc, 0x01), // or ah, 1
    code(0xef), // out dx, ax
    label('wait'),
    code(0xf4), // hlt; the timer wakes it 18 times a second
    code(0xba, 0x00, 0x06), // mov dx, 0x600
    code(0xed), // in ax, dx
    code(0xf6, 0xc4, 0x01), // test ah, 1; pressed?
    code(0x74, near('wait')), // jz wait
    code(0xba, 0x04, 0x06), // mov dx, 0x604
    code(0xb8, 0x00, 0x20), // mov ax, 0x2000; sleep state 5: off
    code(0xef), // out dx, ax
    label('print'),
    code(0xac), // lodsb
    code(0x84, 0xc0), // test al, al
    code(0x74, near('return')), // jz return
    code(0x88, 0xc4), // mov ah, al
    code(0xba, 0xfd, 0x03), // mov dx, 0x3fd
    label('busy'),
    code(0xec), // in al, dx
    code(0xa8, 0x20), // test al, 0x20; room for another byte?
    code(0x74, near('busy')), // jz busy
    code(0x88, 0xe0), // mov al, ah
    code(0xb2, 0xf8), // mov dl, 0xf8
    code(0xee), // out dx, al
    code(0xeb, near('print')), // jmp print
    label('return'),
    code(0xc3), // ret
    label('said'),
    code(...Buffer.from('\r\ncounted boots: ')),
    label('count'),
    text('0\r\n'),
  ]);
  const disk = Buffer.alloc(1 << 20);
  program.copy(disk);
  disk.writeUInt16LE(0xaa55, 510);
  return disk;
}
