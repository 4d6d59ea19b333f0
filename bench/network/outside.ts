/**
 * A host outside, in a network namespace of its own. Guests connect to it and do as it tells them: so they can be told where
 * nothing reaches them. Started by `startTasks` and `unshare --net`.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '@vireo/network';
import { serveTasks } from '../processes.ts';
import { OUTSIDE, OUTSIDE_DEVICE, PORTS, UPLINK } from './places.ts';
import { PATIENCE_MS, receive, roundTripMs, send, type Transfer } from './transfers.ts';

export type OutsideTasks = {
  /** Answers when the process is in its namespace. */
  readonly ready: (nothing: undefined) => true;
  /** Takes the address, and routes to guests through the host. Its end of the cable is there. */
  readonly open: (nothing: undefined) => Promise<void>;
  /** Runs a command in a guest, which is known by its hardware address; resolves with what it prints. */
  readonly tell: (order: Order) => Promise<string>;
  /** Data from and to a guest. */
  readonly fromGuest: (order: Flow) => Promise<Transfer>;
  readonly toGuest: (order: Flow) => Promise<Transfer>;
  /** Milliseconds from here to a guest and back, over TCP. */
  readonly roundTrip: (order: { readonly mac: string; readonly count: number }) => Promise<number>;
  /** Connects again and again until the target answers; resolves with the time of the answer. */
  readonly untilAnswered: (target: Target) => Promise<number>;
  /** Connects again and again until the target does not answer any more; resolves with the time of the first such attempt. */
  readonly untilSilent: (target: Target) => Promise<number>;
};

interface Order {
  readonly mac: string;
  readonly command: string;
}

interface Flow {
  readonly mac: string;
  readonly seconds: number;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

const END = '-- end --';
/** Who has not answered a first packet by then does not answer: the kernel sends another after a second. */
const SILENCE_MS = 900;
const ATTEMPT_MS = 10;

const guests = new Map<string, Guest>();
const waiting = new Map<string, PromiseWithResolvers<Guest>>();

/** A shell in a guest. */
class Guest {
  readonly #socket: Socket;
  #text = '';
  #onText: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('utf8').setNoDelay();
    socket.on('data', (text: string) => {
      this.#text += text;
      this.#onText();
    });
  }

  /** What it prints up to a text. */
  async until(end: string): Promise<string> {
    const late = new Error(`the guest has printed this, and not yet ${JSON.stringify(end)}:\n${this.#text}`);
    while (!this.#text.includes(end))
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(late), PATIENCE_MS);
        this.#onText = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    const at = this.#text.indexOf(end);
    const before = this.#text.slice(0, at);
    this.#text = this.#text.slice(at + end.length);
    return before;
  }

  run(command: string): Promise<string> {
    this.#socket.write(`{\n${command}\n} </dev/null 2>&1; echo '${END}'\n`);
    return this.until(`${END}\n`);
  }
}

function guestOf(mac: string): Promise<Guest> | Guest {
  const known = guests.get(mac);
  if (known) return known;
  const arrival = waiting.get(mac) ?? Promise.withResolvers<Guest>();
  waiting.set(mac, arrival);
  return arrival.promise;
}

async function listen(port: number, onConnection?: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection).listen(port, OUTSIDE);
  await once(server, 'listening');
  return server;
}

/** Has a guest connect to a port of ours and run a command there; resolves with the connection. */
async function connectionOf(mac: string, port: number, command: string): Promise<Socket> {
  const guest = await guestOf(mac);
  const server = await listen(port);
  const connected = once(server, 'connection', { signal: AbortSignal.timeout(PATIENCE_MS) });
  await guest.run(`nc ${OUTSIDE} ${port} -e ${command} &`);
  const [socket] = (await connected) as [Socket];
  server.close();
  return socket;
}

/** When an attempt began, and whether it was answered: refusing is answering, too. */
interface Attempt {
  readonly startedAt: number;
  answeredAt?: number;
}

const isSilent = ({ startedAt, answeredAt = Date.now() }: Attempt): boolean => answeredAt > startedAt + SILENCE_MS;

/** Attempts to connect, one after the other, until they tell what is asked. */
async function attempts(target: Target, find: (all: readonly Attempt[]) => number | undefined): Promise<number> {
  const all: Attempt[] = [];
  const sockets = new Set<Socket>();
  for (;;) {
    const attempt: Attempt = { startedAt: Date.now() };
    const socket = connect(target);
    sockets.add(socket);
    const end = (): void => {
      attempt.answeredAt ??= Date.now();
      sockets.delete(socket);
      socket.destroy();
    };
    socket.once('connect', end).once('error', end);
    all.push(attempt);
    await sleep(ATTEMPT_MS);
    const found = find(all);
    if (found === undefined) continue;
    for (const each of sockets)
      each
        .removeAllListeners()
        .on('error', () => {})
        .destroy();
    return found;
  }
}

serveTasks({
  ready: () => true,
  open: async () => {
    await run('ip', ['link', 'set', 'lo', 'up']);
    await run('ip', ['addr', 'add', `${OUTSIDE}/24`, 'dev', OUTSIDE_DEVICE]);
    await run('ip', ['link', 'set', OUTSIDE_DEVICE, 'up']);
    await run('ip', ['route', 'add', 'default', 'via', UPLINK]);
    await listen(PORTS.control, async (socket) => {
      const guest = new Guest(socket);
      const mac = (await guest.until('\n')).trim();
      socket.once('close', () => guests.delete(mac)).on('error', () => {});
      guests.set(mac, guest);
      waiting.get(mac)?.resolve(guest);
      waiting.delete(mac);
    });
  },
  tell: async ({ mac, command }: Order) => (await guestOf(mac)).run(command),
  fromGuest: async ({ mac, seconds }: Flow) => receive(await connectionOf(mac, PORTS.source, 'cat /dev/zero'), seconds),
  toGuest: async ({ mac, seconds }: Flow) => send(await connectionOf(mac, PORTS.sink, 'sink'), seconds),
  roundTrip: async ({ mac, count }: { mac: string; count: number }) =>
    roundTripMs(await connectionOf(mac, PORTS.echo, 'cat'), count),
  untilAnswered: (target: Target) =>
    attempts(target, (all) => all.find(({ answeredAt }) => answeredAt !== undefined)?.answeredAt),
  untilSilent: (target: Target) => attempts(target, (all) => all.find(isSilent)?.startedAt),
} satisfies OutsideTasks);
