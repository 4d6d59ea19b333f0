import { address32, assemble, code, label } from '@vireo/node/guestImage/machineCode.ts';

const ORIGIN = 0x400000;
const HEADERS = 0x78;
/** Room behind the program for a datagram, its sender, and the length of that. */
const [BUFFER, SENDER, LENGTH] = [ORIGIN + 0x1000, ORIGIN + 0x2000, ORIGIN + 0x2010];
const bytes = (value: number): number[] => [...Buffer.from(Uint32Array.of(value).buffer)];

/** A Linux program for x86-64 that sends every datagram back to where it came from: the guest image has none. */
export function echoProgram(port: number): Buffer {
  const program = assemble(ORIGIN + HEADERS, [
    code(0xb8, ...bytes(41), 0xbf, ...bytes(2), 0xbe, ...bytes(2), 0x31, 0xd2, 0x0f, 0x05), // socket(INET, DGRAM, 0)
    code(0x89, 0xc3), // mov ebx, eax
    code(0xb8, ...bytes(49), 0x89, 0xdf, 0xbe, address32('any'), 0xba, ...bytes(16), 0x0f, 0x05), // bind(ebx, any, 16)
    label('next'),
    code(0xbe, ...bytes(BUFFER), 0xba, ...bytes(2048), 0x45, 0x31, 0xd2), // esi, edx, r10: buffer, its size, no flags
    code(0x41, 0xb8, ...bytes(SENDER), 0x41, 0xb9, ...bytes(LENGTH)), // r8d, r9d
    code(0x41, 0xc7, 0x01, ...bytes(16)), // mov dword [r9], 16
    code(0xb8, ...bytes(45), 0x89, 0xdf, 0x0f, 0x05), // recvfrom
    code(0x89, 0xc2, 0x41, 0xb9, ...bytes(16)), // edx: what came; r9d: 16
    code(0xb8, ...bytes(44), 0x89, 0xdf, 0x0f, 0x05), // sendto
    code(0xe9, { to: 'next', size: 4, relative: true }), // jmp next
    label('any'),
    code(2, 0, port >> 8, port & 0xff, ...Array<number>(12).fill(0)),
  ]);
  const headers = Buffer.alloc(HEADERS);
  headers.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  headers.writeUInt16LE(2, 16); // an executable
  headers.writeUInt16LE(62, 18); // for x86-64
  headers.writeUInt32LE(1, 20);
  headers.writeUInt32LE(ORIGIN + HEADERS, 24); // where it begins
  headers.writeUInt32LE(64, 32); // where its one segment is described
  headers.writeUInt16LE(64, 52);
  headers.writeUInt16LE(56, 54);
  headers.writeUInt16LE(1, 56);
  headers.writeUInt32LE(1, 64); // to be loaded,
  headers.writeUInt32LE(7, 68); // to be read, written and run
  for (const at of [80, 88]) headers.writeUInt32LE(ORIGIN, at);
  headers.writeUInt32LE(HEADERS + program.length, 96);
  headers.writeUInt32LE(0x3000, 104);
  headers.writeUInt32LE(0x1000, 112);
  return Buffer.concat([headers, program]);
}
