import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ProtocolError } from './errors.ts';
import { encodePacket, maxPacketBytes, type Packet, PacketReader } from './packet.ts';

const number = fc.integer({ min: 0, max: 0xffff_ffff });

const packets = fc.array(
  fc.record({
    program: number,
    version: number,
    procedure: fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff }),
    type: number,
    serial: number,
    status: number,
    payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 12 },
);

it('has the header that libvirt expects', () => {
  const header = { program: 0x2000_8086, version: 1, procedure: 66, type: 0, serial: 5, status: 0 };
  expect(encodePacket(header, Buffer.from('abcd')).toString('hex')).toBe(
    ['00000020', '20008086', '00000001', '00000042', '00000000', '00000005', '00000000', '61626364'].join(''),
  );
});

it('gives the same packets wherever the bytes are cut', () => {
  fc.assert(
    fc.property(packets, fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1 }), (sent, sizes) => {
      const bytes = Buffer.concat(sent.map((packet) => encodePacket(packet, packet.payload)));
      const reader = new PacketReader();
      const received: Packet[] = [];
      for (let offset = 0, piece = 0; offset < bytes.length; piece += 1) {
        const size = sizes[piece % sizes.length] as number;
        received.push(...reader.push(bytes.subarray(offset, offset + size)));
        offset += size;
      }
      expect(received).toEqual(sent);
    }),
    { numRuns: 200 },
  );
});

it.each([0, 4, 27, maxPacketBytes + 1, 0xffff_ffff])('refuses a packet that says it has %d bytes', (length) => {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32BE(length);
  expect(() => [...new PacketReader().push(bytes)]).toThrow(ProtocolError);
});

it('refuses to send what the daemon would not take', () => {
  const header = { program: 1, version: 1, procedure: 1, type: 0, serial: 1, status: 0 };
  expect(() => encodePacket(header, Buffer.alloc(maxPacketBytes))).toThrow(/larger than libvirt's limit/);
});
