/** A machine in a network namespace: it serves its name at ports, and connects and asks as it is told, one JSON a line. */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { DISCOVER, OPTION } from '../dhcp/message.ts';
import { OPTION6, TYPE } from '../dhcp6/message.ts';
import { CLIENT_PORT, SERVER_PORT } from '../dhcp6/server.ts';
import { dhcpRequest, readReply } from './dhcp.ts';
import { dhcp6Request, readReply6 } from './dhcp6.ts';

interface Order {
  readonly get?: [host: string, port: number, localAddress?: string];
  readonly ask?: [host: string, port: number, localPort: number];
  readonly lookUp?: [hostname: string, server: string];
  /** The hardware address to ask for an address with. */
  readonly address?: string;
  /** The link-local address to ask for an IPv6 address with. */
  readonly address6?: string;
  /** Opens a connection and keeps it. */
  readonly hold?: [host: string, port: number];
  /** Says something on the connection that is kept; the answer is what comes back. */
  readonly say?: string;
  /** Sends a datagram, its contents in base64. */
  readonly send?: [host: string, port: number, content: string];
  /** Asks for the datagrams that came to the port ECHO so far. */
  readonly heard?: true;
  /** The same, and whether it can hear only broadcasts: for all that it is told. */
  readonly lease?: [mac: string, isBroadcast: boolean];
}

/** How long what is dropped is waited for; hosts that are slow set more patience. */
const TIMEOUT_MS = 1_000 * Number(process.env.VIREO_TEST_PATIENCE ?? 1);

/** The port at which all that is said comes back. */
const ECHO = 7;

const [, , name = '', ...ports] = process.argv;
for (const port of ports) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (Number(port) === ECHO) socket.pipe(socket);
    else socket.end(`${name} ${socket.remoteAddress?.replace('::ffff:', '')}`);
  });
  server.listen(Number(port));
  await once(server, 'listening');
}
const heard: string[] = [];
// Of both families.
const datagrams = createSocket('udp6');
datagrams.on('message', (message, { port, address }) => {
  heard.push(message.toString());
  datagrams.send(name, port, address);
});
datagrams.bind(ECHO);
await once(datagrams, 'listening');
console.log('ready');

async function get(host: string, port: number, localAddress?: string): Promise<string> {
  const socket = connect({ host, port, localAddress, timeout: TIMEOUT_MS });
  let text = '';
  return new Promise((resolve) => {
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.on('timeout', () => socket.destroy(Object.assign(new Error(), { code: 'timeout' })));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('close', () => resolve(text));
  });
}

async function ask(host: string, port: number, localPort: number): Promise<string> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.bind(localPort);
  await once(socket, 'listening');
  const replied = Promise.race([once(socket, 'message'), pause(1_000)]);
  socket.send('who are you', port, host);
  const reply = await replied;
  socket.close();
  return reply ? String(reply[0]) : 'timeout';
}

async function lookUp(hostname: string, server: string): Promise<string> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  resolver.setServers([server]);
  return resolver.resolve4(hostname).then(
    (addresses) => addresses.join(' '),
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
}

/** Asks for an address as a client does that has none. */
async function discover(mac: string, isBroadcast: boolean): Promise<ReturnType<typeof readReply> | undefined> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  socket.bind(68);
  await once(socket, 'listening');
  socket.setBroadcast(true);
  const request = dhcpRequest({ type: DISCOVER, mac, isBroadcast });
  const replied = Promise.race([once(socket, 'message'), pause(1_000)]);
  socket.send(request, 67, '255.255.255.255');
  const reply = await replied;
  socket.close();
  return reply ? readReply(reply[0] as Buffer) : undefined;
}

async function askForAddress(mac: string): Promise<string> {
  return (await discover(mac, true))?.address ?? 'timeout';
}

async function askForLease(mac: string, isBroadcast: boolean): Promise<string> {
  const reply = await discover(mac, isBroadcast);
  if (!reply) return 'timeout';
  const option = (code: number): string => reply.options.get(code)?.toString('hex') ?? '';
  return [reply.address, reply.server, option(OPTION.router), option(OPTION.routes)].join(' ');
}

/** Asks for an IPv6 address at once, as a client does that wants the first that is offered. */
async function askForAddress6(own: string): Promise<string> {
  const socket = createSocket({ type: 'udp6' });
  socket.bind(CLIENT_PORT, `${own}%eth0`);
  await once(socket, 'listening');
  const replied = Promise.race([once(socket, 'message'), pause(1_000)]);
  socket.send(
    dhcp6Request({ type: TYPE.solicit, options: [[OPTION6.rapidCommit, Buffer.alloc(0)]] }),
    SERVER_PORT,
    'ff02::1:2%eth0',
  );
  const reply = await replied;
  socket.close();
  if (!reply) return 'timeout';
  const [message, { address }] = reply as [Buffer, { address: string }];
  return `${readReply6(message).addresses.join(' ')} from ${address}`;
}

let held: Socket | undefined;

async function hold(host: string, port: number): Promise<string> {
  held = connect({ host, port });
  held.on('error', () => {});
  await once(held, 'connect');
  return 'held';
}

async function say(text: string): Promise<string> {
  const answered = held && once(held, 'data');
  held?.write(text);
  const answer = await Promise.race([answered, pause(3_000)]);
  return answer ? String(answer[0]) : 'timeout';
}

async function send(host: string, port: number, content: string): Promise<string> {
  const socket = createSocket('udp4');
  return new Promise((resolve) => {
    socket.send(Buffer.from(content, 'base64'), port, host, (error) => {
      socket.close();
      resolve(error ? String(error) : 'sent');
    });
  });
}

async function carryOut(order: Order): Promise<string> {
  const { get: connection, ask: question, lookUp: name, address, address6, lease } = order;
  if (question) return ask(...question);
  if (order.hold) return hold(...order.hold);
  if (order.say) return say(order.say);
  if (order.send) return send(...order.send);
  if (order.heard) return heard.join();
  if (connection) return get(...connection);
  if (name) return lookUp(...name);
  if (lease) return askForLease(...lease);
  if (address6) return askForAddress6(address6);
  return askForAddress(address ?? '');
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order;
  console.log(JSON.stringify(await carryOut(order)));
}
