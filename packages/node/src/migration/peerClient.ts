import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import { ApiError } from '@vireo/api/errors.ts';
import { nodeCertificateProblem } from '@vireo/kube/serving/nodeEndpoint.ts';
import { ACKNOWLEDGE_HEADER, joinHeeding } from './acknowledged.ts';
import { joinStreams } from './joinStreams.ts';
import type { PeerCredentials } from './peerCertificates.ts';
import { CHANNEL_PROTOCOL, type Channel, migrationPath, PROBE_MS } from './peerProtocol.ts';

/** Another node: its name, and where it listens for a guest. */
export interface Peer {
  readonly node: string;
  readonly host: string;
  readonly port: number;
}

/** A channel of a migration, open to the other node. */
export interface PeerChannel {
  /** Carries bytes between it and a QEMU of this node. */
  join(guest: Duplex): void;
}

const CONNECT_MS = 10_000;

/**
 * For questions whose answers are quick, and for opening a channel. Where a cable is pulled, the kernel would go on sending
 * for a quarter of an hour, and what keeps connections alive does nothing meanwhile.
 */
export const ANSWER_MS = 15_000;

/** How long an answer is waited for: until the time is over, or somebody says so. Without both, as long as it takes. */
export interface Patience {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Connects to another node, which has to show that it is the node of that name at that address. */
function dialPeer({ node, host, port }: Peer, { cert, key, ca }: PeerCredentials): TLSSocket {
  const socket = connect({
    host,
    port,
    cert,
    key,
    ca,
    minVersion: 'TLSv1.2',
    // Addresses are not sent as server names; the certificate is checked against the address all the same.
    servername: '',
    checkServerIdentity: (_, shown) => nodeCertificateProblem(node, host, shown),
  });
  socket.setKeepAlive(true, PROBE_MS);
  socket.setNoDelay(true);
  const late = setTimeout(() => socket.destroy(new Error(`no connection to ${host}:${port}`)), CONNECT_MS);
  socket.once('secureConnect', () => clearTimeout(late));
  socket.once('close', () => clearTimeout(late));
  return socket;
}

/** Keeps connections to one node, and takes those that were opened ahead. */
class PeerAgent extends Agent {
  readonly #dial: () => TLSSocket;
  readonly #ready = new Set<TLSSocket>();

  constructor(dial: () => TLSSocket) {
    super({ keepAlive: true, keepAliveMsecs: PROBE_MS, scheduling: 'lifo' });
    this.#dial = dial;
  }

  /** Opens a connection for a later request. Who makes that opens another if this one fails. */
  openAhead(): void {
    const socket = this.#dial();
    this.#ready.add(socket);
    const drop = (): void => void this.#ready.delete(socket);
    socket.once('error', drop);
    socket.once('close', drop);
  }

  override createConnection(): Duplex {
    const [ready] = this.#ready;
    if (!ready) return this.#dial();
    this.#ready.delete(ready);
    return ready;
  }

  override destroy(): void {
    for (const socket of this.#ready) socket.destroy();
    super.destroy();
  }
}

/**
 * Speaks with the target of a migration. Its connections are opened before they are needed, and kept: while a guest
 * stands still, nobody waits for a handshake.
 */
export class PeerSession implements Disposable {
  readonly #peer: () => Peer;
  readonly #migrationUid: string;
  readonly #signal: AbortSignal | undefined;
  readonly #agent: PeerAgent;

  /** `peer` is asked anew for each connection: an agent that was started again may listen elsewhere. */
  constructor(peer: () => Peer, credentials: PeerCredentials, migrationUid: string, signal?: AbortSignal) {
    this.#peer = peer;
    this.#migrationUid = migrationUid;
    this.#signal = signal;
    this.#agent = new PeerAgent(() => dialPeer(peer(), credentials));
  }

  /** Opens connections that are needed soon. */
  openAhead(count: number): void {
    for (let opened = 0; opened < count; opened += 1) this.#agent.openAhead();
  }

  /**
   * Asks the target about the migration. Rejects with an `ApiError` where the target has answered that it does not, and
   * with another error where its answer is not known.
   */
  async ask(word: string, body: object, patience: Patience = {}): Promise<unknown> {
    try {
      return await this.#ask(word, body, patience);
    } catch (error) {
      // The connection was kept for this, and is gone. Every question may be asked twice.
      if (!(error instanceof LostConnection)) throw error;
      return this.#ask(word, body, patience);
    }
  }

  #ask(word: string, body: object, { timeoutMs, signal }: Patience): Promise<unknown> {
    const text = JSON.stringify(body);
    const stop = AbortSignal.any([this.#signal, signal].filter((each) => each !== undefined));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const sent = request(
      {
        ...this.#address(),
        method: 'POST',
        path: migrationPath(this.#migrationUid, word),
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
        signal: stop,
      },
      (response) => void read(response).then(resolve, reject),
    );
    limit(sent, timeoutMs);
    sent.once('error', (error) => {
      if (stop.aborted) return reject(error);
      // Whoever reads why a migration has failed learns which node it was.
      const message = `node ${this.#peer().node} does not answer: ${error.message}`;
      const isLost = sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
      reject(new (isLost ? LostConnection : Error)(message, { cause: error }));
    });
    sent.end(text);
    return promise;
  }

  /** Opens a channel of the migration: from then on, bytes both ways. */
  openChannel(channel: Channel, timeoutMs = ANSWER_MS): Promise<PeerChannel> {
    const { promise, resolve, reject } = Promise.withResolvers<PeerChannel>();
    const sent = request({
      ...this.#address(),
      method: 'GET',
      path: migrationPath(this.#migrationUid, channel),
      headers: { connection: 'Upgrade', upgrade: CHANNEL_PROTOCOL, [ACKNOWLEDGE_HEADER]: 'yes' },
    });
    const answered = limit(sent, timeoutMs);
    sent.once('upgrade', ({ headers }, socket, head) => {
      answered();
      if (head.length > 0) socket.unshift(head);
      // Agents of before do not tell how much has arrived.
      const join = headers[ACKNOWLEDGE_HEADER] === undefined ? joinStreams : joinHeeding;
      resolve({ join: (guest) => join(guest, socket) });
    });
    sent.once('response', (response) => void read(response).catch(reject));
    sent.once('error', reject);
    sent.end();
    return promise;
  }

  /** Closes all connections but those that have become channels. */
  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #address() {
    const { host, port } = this.#peer();
    return { host, port, agent: this.#agent };
  }
}

class LostConnection extends Error {}

/** Ends a request that takes longer. The result takes that back; so does its end. */
function limit(sent: ClientRequest, timeoutMs: number | undefined): () => void {
  if (timeoutMs === undefined) return () => {};
  const late = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  const end = (): void => clearTimeout(late);
  sent.once('close', end);
  return end;
}

async function read(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const answer: unknown = JSON.parse(Buffer.concat(chunks).toString() || '{}');
  if (response.statusCode === 200) return answer;
  const { reason, message } = answer as { reason?: ApiError['status']['reason']; message?: string };
  throw new ApiError(reason ?? 'InternalError', message ?? `the node answers ${response.statusCode}`);
}
