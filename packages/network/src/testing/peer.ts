/** A machine in a network namespace: it serves its name at ports, and connects and asks as it is told, one JSON a line. */
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { DISCOVER } from '../dhcp/message.ts';
import { dhcpRequest, readReply } from './dhcp.ts';

interface Order {
  readonly get?: [host: string, port: number, localAddress?: string];
  readonly ask?: [host: string, port: number, localPort: number];
  readonly lookUp?: [hostname: string, server: string];
  /** The hardware address to ask for an address with. */
  readonly address?: string;
}

const [, , name = '', ...ports] = process.argv;
for (const port of ports) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(`${name} ${socket.remoteAddress?.replace('::ffff:', '')}`);
  });
  server.listen(Number(port), '0.0.0.0');
  await once(server, 'listening');
}
const datagrams = createSocket('udp4');
datagrams.on('message', (_, { port, address }) => datagrams.send(name, port, address));
datagrams.bind(7);
await once(datagrams, 'listening');
console.log('ready');

async function get(host: string, port: number, localAddress?: string): Promise<string> {
  const socket = connect({ host, port, localAddress, timeout: 400 });
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
  const socket = createSocket('udp4');
  socket.bind(localPort);
  await once(socket, 'listening');
  const replied = Promise.race([once(socket, 'message'), pause(1_000)]);
  socket.send('who are you', port, host);
  const reply = await replied;
  socket.close();
  return reply ? String(reply[0]) : 'timeout';
}

async function lookUp(hostname: string, server: string): Promise<string> {
  const resolver = new Resolver({ timeout: 400, tries: 1 });
  resolver.setServers([server]);
  return resolver.resolve4(hostname).then(
    (addresses) => addresses.join(' '),
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
}

/** Asks for an address as a client does that has none, and can hear only broadcasts. */
async function askForAddress(mac: string): Promise<string> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  socket.bind(68);
  await once(socket, 'listening');
  socket.setBroadcast(true);
  const request = dhcpRequest({ type: DISCOVER, mac, isBroadcast: true });
  const replied = Promise.race([once(socket, 'message'), pause(1_000)]);
  socket.send(request, 67, '255.255.255.255');
  const reply = await replied;
  socket.close();
  return reply ? readReply(reply[0] as Buffer).address : 'timeout';
}

async function carryOut({ get: connection, ask: question, lookUp: name, address }: Order): Promise<string> {
  if (question) return ask(...question);
  if (connection) return get(...connection);
  if (name) return lookUp(...name);
  return askForAddress(address ?? '');
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order;
  console.log(JSON.stringify(await carryOut(order)));
}
