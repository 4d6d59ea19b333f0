/**
 * A daemon that says what a test tells it to. It stands in for libvirtd only where the real one cannot be made to
 * behave: broken packets, silence, a particular order.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Codec, nothing } from '../codec.ts';
import { encodePacket, type Packet, type PacketHeader, PacketReader, packetStatuses, packetTypes } from '../packet.ts';
import { programs } from '../protocol.ts';
import { remoteError } from '../types.ts';
import { XdrWriter } from '../xdr.ts';

type Script = (packet: Packet, daemon: ScriptedDaemon) => void;

export class ScriptedDaemon implements AsyncDisposable {
  readonly socket: string;
  /** Everything that came, in order. */
  readonly received: Packet[] = [];
  readonly #directory: string;
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  readonly #senders = new WeakMap<PacketHeader, Socket>();

  private constructor(script: Script) {
    this.#directory = mkdtempSync(join(tmpdir(), 'scripted-'));
    this.socket = join(this.#directory, 'sock');
    this.#server = createServer((client) => {
      this.#clients.add(client);
      client.on('close', () => this.#clients.delete(client));
      client.on('error', () => {});
      const reader = new PacketReader();
      client.on('data', (chunk) => {
        for (const packet of reader.push(chunk)) {
          this.received.push(packet);
          this.#senders.set(packet, client);
          script(packet, this);
        }
      });
    });
  }

  static async start(script: Script = () => {}): Promise<ScriptedDaemon> {
    const daemon = new ScriptedDaemon(script);
    await new Promise<void>((resolve) => daemon.#server.listen(daemon.socket, resolve));
    return daemon;
  }

  /** Bytes that wait because clients do not read. */
  get heldBack(): number {
    return [...this.#clients].reduce((sum, client) => sum + client.writableLength, 0);
  }

  /** Sends bytes as they are, to everybody. */
  sendRaw(bytes: Uint8Array): void {
    for (const client of this.#clients) client.write(bytes);
  }

  send(header: Partial<PacketHeader>, payload?: Uint8Array): void {
    const base = { program: programs.remote, version: 1, procedure: 0, type: 0, serial: 0, status: 0 };
    this.sendRaw(encodePacket({ ...base, ...header }, payload));
  }

  /** Answers a call, to whoever made it. */
  reply<T>(to: Packet, codec: Codec<T>, value: T): void {
    const header = { ...to, type: packetTypes.reply, status: packetStatuses.ok };
    this.#senders.get(to)?.write(encodePacket(header, encode(codec, value)));
  }

  ok(to: Packet): void {
    this.reply(to, nothing, undefined);
  }

  /** Answers a call, or ends a stream, with an error. */
  fail(
    to: PacketHeader,
    error: { code: number; domain: number; message: string },
    type: number = packetTypes.reply,
  ): void {
    const nobody = { unusedDomain: undefined, unusedNetwork: undefined, number1: 0, number2: 0 };
    const details = { detail1: undefined, detail2: undefined, detail3: undefined, level: 2 };
    const payload = encode(remoteError, { ...error, ...nobody, ...details });
    this.send({ ...to, type, status: packetStatuses.error }, payload);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

export function encode<T>(codec: Codec<T>, value: T): Buffer {
  const writer = new XdrWriter();
  codec.write(writer, value);
  return writer.finish();
}
