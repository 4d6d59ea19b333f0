import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { conflict, pathNotFound } from '@vireo/api';
import { PLAIN_PROTOCOL } from '@vireo/api/kinds/kubevirt/names.ts';
import { type WebSocket, WebSocketServer } from 'ws';
import type { NodeContext } from '../context.ts';
import type { GuestUser } from '../guests/range.ts';
import { openVsock } from '../vsock/vsock.ts';
import type { Active } from './actions.ts';
import { dial, dialSocketOf } from './dial.ts';
import { openPort } from './portForward.ts';

/** Codes by which websockets close; a normal close is the end of a stream. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const HIGH_WATER_BYTES = 1 << 20;

/** Consoles, screens and ports of VMs, and USB devices that they are lent. */
export class Streams {
  readonly #context: NodeContext;
  readonly #signal: AbortSignal;
  /** Who has a console or a screen now: QEMU serves one at a time. */
  readonly #holders = new Map<string, { client: WebSocket; guest: Socket }>();
  /** Sockets of guests at which a USB device is. */
  readonly #lent = new Set<string>();
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has(PLAIN_PROTOCOL) ? PLAIN_PROTOCOL : false),
  });

  constructor(context: NodeContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Opens the guest's end first: until then a refusal is a plain answer. */
  async open(local: Active, path: string, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const [word = '', port = '', protocol = 'tcp'] = path.split('/');
    const { serialSocket, vncSocket } = local.files.paths;
    if (word === 'console') return this.#exclusive(local, word, serialSocket, request, socket, head);
    if (word === 'vnc') return this.#exclusive(local, word, vncSocket, request, socket, head, local.user);
    if (word === 'usbredir') return this.#lend(local, request, socket, head);
    const guest = await this.#port(local, word, Number(port), protocol);
    this.#server.handleUpgrade(request, socket, head, (client) => this.#carry(client, guest));
  }

  #port(local: Active, word: string, port: number, protocol: string): Promise<Duplex> {
    if (word === 'vsock') return openVsock(local.vmi, port, protocol === 'tls');
    if (word !== 'portforward') throw pathNotFound();
    return openPort(local, port, protocol, this.#context);
  }

  /** Lends the guest a USB device, at the first socket that has none. */
  async #lend(local: Active, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const sockets = local.files.paths.usbRedirectionSockets ?? [];
    const path = sockets.find((each) => !this.#lent.has(each));
    if (path === undefined) {
      const { name } = local.vmi.metadata;
      const why = `it already has ${sockets.length} redirected USB devices`;
      throw conflict({ group: 'kubevirt.io', resource: 'virtualmachineinstance' }, name, why);
    }
    this.#lent.add(path);
    const giveBack = (): boolean => this.#lent.delete(path);
    try {
      const guest = await dial(path);
      guest.once('close', giveBack);
      this.#server.handleUpgrade(request, socket, head, (client) => this.#carry(client, guest));
      // A client that has gone before the upgrade is never carried.
      if (socket.destroyed) guest.destroy();
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async #exclusive(
    local: Active,
    word: string,
    path: string,
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    maker?: GuestUser,
  ): Promise<void> {
    const place = `${local.uid}/${word}`;
    this.#evict(place);
    const guest = await (maker ? dialSocketOf(maker.uid, path) : dial(path));
    this.#server.handleUpgrade(request, socket, head, (client) => {
      // Another one may have come while this one was being opened.
      this.#evict(place);
      const holder = { client, guest };
      this.#holders.set(place, holder);
      client.once('close', () => {
        if (this.#holders.get(place) === holder) this.#holders.delete(place);
      });
      this.#carry(client, guest);
    });
  }

  /** Closes who has the place. The guest's end goes at once: QEMU takes the next one when the last has gone. */
  #evict(place: string): void {
    const holder = this.#holders.get(place);
    if (!holder) return;
    this.#holders.delete(place);
    holder.client.close(NORMAL, 'taken over');
    holder.guest.destroy();
  }

  #carry(client: WebSocket, guest: Duplex): void {
    const stop = (): void => client.close(GOING_AWAY, 'the node agent is stopping');
    this.#signal.addEventListener('abort', stop, { once: true });
    client.on('message', (data: Buffer) => {
      if (!guest.write(data)) {
        client.pause();
        guest.once('drain', () => client.resume());
      }
    });
    client.on('error', () => guest.destroy());
    // Both ways of an end: what closes first closes the other.
    client.once('close', () => {
      this.#signal.removeEventListener('abort', stop);
      guest.destroy();
    });
    guest.on('data', (chunk) => {
      client.send(chunk, { binary: true }, () => {
        if (guest.isPaused() && client.bufferedAmount < HIGH_WATER_BYTES / 4) guest.resume();
      });
      if (client.bufferedAmount > HIGH_WATER_BYTES) guest.pause();
    });
    guest.on('error', () => client.close(NORMAL));
    guest.once('close', () => client.close(NORMAL));
    guest.resume();
  }
}
