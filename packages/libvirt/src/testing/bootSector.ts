/**
 * A guest of 512 bytes, written by hand as x86 machine code: it greets on the first serial port, sends back what it
 * receives there, and powers itself off when the power button is pressed. It boots from a disk with a BIOS, on the
 * machine type q35 (whose power management registers begin at port 0x600), in a tenth of a second.
 */

/** Where the BIOS puts a boot sector, and starts it. */
const origin = 0x7c00;

/** A piece of the program: plain bytes, a place that has a name, or a reference to one. */
type Piece = number[] | { label: string } | { near: string } | { relative16: string } | { address: string } | Buffer;

const label = (name: string): Piece => ({ label: name });
/** The distance to a place, in one signed byte: short jumps. */
const near = (name: string): Piece => ({ near: name });
/** The distance to a place, in two bytes: calls. */
const relative16 = (name: string): Piece => ({ relative16: name });
/** The address of a place, in two bytes. */
const address = (name: string): Piece => ({ address: name });

/** The boot sector. `greeting` and `farewell` go to the serial port when it starts and when it powers off. */
export function bootSector({ greeting, farewell }: { greeting: string; farewell: string }): Buffer {
  const program: Piece[] = [
    [0xfa], //                          cli
    [0x31, 0xc0], //                    xor ax, ax
    [0x8e, 0xd8], //                    mov ds, ax
    [0x8e, 0xd0], //                    mov ss, ax
    [0xbc, 0x00, 0x7c], //              mov sp, 0x7c00

    // The serial port's interrupt (vector 0x0c, at address 0x30) only has to end the halt below.
    [0xc7, 0x06, 0x30, 0x00], //        mov word [0x30], ...
    address('interrupt'), //                              ... interrupt
    [0xc7, 0x06, 0x32, 0x00, 0, 0], //  mov word [0x32], 0
    [0xba, 0xf9, 0x03], //              mov dx, 0x3f9     (interrupt enable register)
    [0xb0, 0x01, 0xee], //              mov al, 1; out dx, al
    [0xba, 0xfc, 0x03], //              mov dx, 0x3fc     (modem control register)
    [0xb0, 0x0b, 0xee], //              mov al, 0x0b; out dx, al
    [0xe4, 0x21, 0x24, 0xef], //        in al, 0x21; and al, 0xef   (unmask IRQ 4)
    [0xe6, 0x21], //                    out 0x21, al
    [0xfb], //                          sti

    [0xbe], //                          mov si, ...
    address('greeting'), //                         ... greeting
    [0xe8], //                          call ...
    relative16('print'), //                  ... print
    [0xba, 0x02, 0x06, 0xed], //        mov dx, 0x602; in ax, dx    (PM1 enable)
    [0x80, 0xcc, 0x01, 0xef], //        or ah, 1; out dx, ax        (power button)

    label('idle'),
    [0xf4], //                          hlt               (until an interrupt; the clock's come 18 times a second)
    [0xba, 0x00, 0x06, 0xed], //        mov dx, 0x600; in ax, dx    (PM1 status)
    [0xf6, 0xc4, 0x01], //              test ah, 1        (was the power button pressed?)
    [0x74], //                          jz ...
    near('echo'), //                           ... echo
    [0xbe], //                          mov si, ...
    address('farewell'), //                         ... farewell
    [0xe8], //                          call ...
    relative16('print'), //                  ... print
    [0xba, 0x04, 0x06], //              mov dx, 0x604     (PM1 control)
    [0xb8, 0x00, 0x20, 0xef], //        mov ax, 0x2000; out dx, ax  (sleep state 5: off)

    label('echo'),
    [0xba, 0xfd, 0x03, 0xec], //        mov dx, 0x3fd; in al, dx    (line status)
    [0xa8, 0x01], //                    test al, 1        (is there a byte?)
    [0x74], //                          jz ...
    near('idle'), //                           ... idle
    [0xba, 0xf8, 0x03, 0xec], //        mov dx, 0x3f8; in al, dx
    [0xe8], //                          call ...
    relative16('put'), //                    ... put
    [0xeb], //                          jmp ...
    near('echo'), //                          ... echo

    label('print'),
    [0xac], //                          lodsb
    [0x84, 0xc0], //                    test al, al
    [0x74], //                          jz ...
    near('printed'), //                        ... printed
    [0xe8], //                          call ...
    relative16('put'), //                    ... put
    [0xeb], //                          jmp ...
    near('print'), //                         ... print
    label('printed'),
    [0xc3], //                          ret

    label('put'),
    [0x88, 0xc4], //                    mov ah, al
    [0xba, 0xfd, 0x03], //              mov dx, 0x3fd
    label('busy'),
    [0xec, 0xa8, 0x20], //              in al, dx; test al, 0x20    (may a byte be sent?)
    [0x74], //                          jz ...
    near('busy'), //                           ... busy
    [0x88, 0xe0], //                    mov al, ah
    [0xba, 0xf8, 0x03, 0xee], //        mov dx, 0x3f8; out dx, al
    [0xc3], //                          ret

    label('interrupt'),
    [0x50, 0xb0, 0x20], //              push ax; mov al, 0x20
    [0xe6, 0x20, 0x58], //              out 0x20, al; pop ax        (end of interrupt)
    [0xcf], //                          iret

    label('greeting'),
    Buffer.from(`${greeting}\0`, 'latin1'),
    label('farewell'),
    Buffer.from(`${farewell}\0`, 'latin1'),
  ];
  const code = assemble(program);
  if (code.length > 510) throw new RangeError(`a boot sector has 510 bytes of code; this one has ${code.length}`);
  const sector = Buffer.alloc(512);
  code.copy(sector);
  sector.writeUInt16LE(0xaa55, 510); // what the BIOS knows a boot sector by
  return sector;
}

function assemble(program: Piece[]): Buffer {
  const places = new Map<string, number>();
  let length = 0;
  for (const piece of program) {
    if ('label' in piece) places.set(piece.label, length);
    length += sizeOf(piece);
  }
  const place = (name: string): number => {
    const found = places.get(name);
    if (found === undefined) throw new Error(`the program has no place ${name}`);
    return found;
  };
  const code = Buffer.alloc(length);
  let offset = 0;
  for (const piece of program) {
    const next = offset + sizeOf(piece);
    if ('near' in piece) code.writeInt8(place(piece.near) - next, offset);
    else if ('relative16' in piece) code.writeInt16LE(place(piece.relative16) - next, offset);
    else if ('address' in piece) code.writeUInt16LE(origin + place(piece.address), offset);
    else if (!('label' in piece)) code.set(piece, offset);
    offset = next;
  }
  return code;
}

function sizeOf(piece: Piece): number {
  if ('label' in piece) return 0;
  if ('near' in piece) return 1;
  return 'relative16' in piece || 'address' in piece ? 2 : piece.length;
}
