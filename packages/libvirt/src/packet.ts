import { ProtocolError } from './errors.ts';

/** Largest packet of libvirt's protocol: 32 MiB and the length word. */
export const maxPacketBytes = 32 * 1024 * 1024 + 4;

/** Length word and header. */
const headerBytes = 28;

/** What a packet is; the numbers are the protocol's. */
export const packetTypes = { call: 0, reply: 1, event: 2, stream: 3, streamHole: 6 } as const;

/** How a call or a stream goes on; the numbers are the protocol's. */
export const packetStatuses = { ok: 0, error: 1, continue: 2 } as const;

export interface PacketHeader {
  readonly program: number;
  readonly version: number;
  readonly procedure: number;
  readonly type: number;
  readonly serial: number;
  readonly status: number;
}

export interface Packet extends PacketHeader {
  readonly payload: Buffer;
}

export function encodePacket(header: PacketHeader, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const length = headerBytes + payload.length;
  if (length > maxPacketBytes) {
    throw new RangeError(`a packet of ${length} bytes is larger than libvirt's limit of ${maxPacketBytes}`);
  }
  const packet = Buffer.allocUnsafe(length);
  packet.writeUInt32BE(length, 0);
  packet.writeUInt32BE(header.program, 4);
  packet.writeUInt32BE(header.version, 8);
  packet.writeInt32BE(header.procedure, 12);
  packet.writeUInt32BE(header.type, 16);
  packet.writeUInt32BE(header.serial, 20);
  packet.writeUInt32BE(header.status, 24);
  packet.set(payload, headerBytes);
  return packet;
}

/** Cuts a stream of bytes into packets, wherever the pieces begin and end. */
export class PacketReader {
  #chunks: Buffer[] = [];
  #buffered = 0;

  /** The packets that are complete with this piece. A length that cannot be raises a {@link ProtocolError}. */
  *push(chunk: Buffer): Generator<Packet> {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    for (let length = this.#nextLength(); length !== undefined; length = this.#nextLength()) {
      if (length < headerBytes || length > maxPacketBytes) {
        throw new ProtocolError(
          `a packet declares a length of ${length} bytes; it must be ${headerBytes} to ${maxPacketBytes}`,
        );
      }
      if (this.#buffered < length) return;
      yield decodePacket(this.#take(length));
    }
  }

  /** Pieces are joined only once a packet is complete, so that a large one is not copied again with every piece. */
  #take(length: number): Buffer {
    const all = this.#join();
    this.#chunks = all.length > length ? [all.subarray(length)] : [];
    this.#buffered -= length;
    return all.subarray(0, length);
  }

  #nextLength(): number | undefined {
    if (this.#buffered < 4) return undefined;
    const first = this.#chunks[0] as Buffer;
    return (first.length >= 4 ? first : this.#join()).readUInt32BE(0);
  }

  #join(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks, this.#buffered)];
    return this.#chunks[0] as Buffer;
  }
}

function decodePacket(bytes: Buffer): Packet {
  return {
    program: bytes.readUInt32BE(4),
    version: bytes.readUInt32BE(8),
    procedure: bytes.readInt32BE(12),
    type: bytes.readUInt32BE(16),
    serial: bytes.readUInt32BE(20),
    status: bytes.readUInt32BE(24),
    payload: bytes.subarray(headerBytes),
  };
}
