import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Duplex } from 'node:stream';

/** Datagrams that wait for somebody to read them; further ones are lost, as datagrams may be. */
const WAITING = 256;

/** What the kernel says of a datagram that found nobody. */
const UNREACHABLE = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Datagrams to and from one place as a stream of chunks, each of them one datagram. */
export async function dialDatagrams(target: { host: string; port: number }): Promise<Duplex> {
  const socket = createSocket('udp4');
  socket.connect(target.port, target.host);
  await once(socket, 'connect');
  return datagramStream(socket);
}

/** The same over a socket that is connected already. */
export const datagramStream = (socket: Socket): Duplex => new DatagramStream(socket);

class DatagramStream extends Duplex {
  readonly #socket: Socket;
  #isFull = false;

  constructor(socket: Socket) {
    super({ readableObjectMode: true, readableHighWaterMark: WAITING });
    this.#socket = socket;
    socket.on('message', (datagram) => {
      if (!this.#isFull) this.#isFull = !this.push(datagram);
    });
    // Nobody listens there yet: that datagram is lost, and the next may be heard.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!UNREACHABLE.includes(error.code ?? '')) this.destroy(error);
    });
    this.pause();
  }

  override _read(): void {
    this.#isFull = false;
  }

  override _write(datagram: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    // One that cannot be sent is lost; the next may arrive.
    this.#socket.send(datagram, () => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.close(() => done(error));
  }
}
