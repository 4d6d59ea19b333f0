/**
 * What a process with the user of a guest reaches of its host. Run by `unshare --net` as root, and takes on users as it goes: a
 * socket has the user of its maker. Prints what each attempt led to as JSON.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { closeHostTo, removeProcessRules } from '../guestProcesses.ts';
import { run } from '../run.ts';

const GUEST = 1_900_000_005;
const processes = { owner: 'test', firstUid: 1_900_000_000, count: 100, resolvers: ['127.0.0.53', '::1'] };

await run('ip', ['link', 'set', 'lo', 'up']);
await run('ip', ['link', 'add', 'up0', 'type', 'bridge']);
await run('ip', ['link', 'set', 'up0', 'up']);
for (const address of ['192.0.2.2/24', '169.254.1.1/32']) await run('ip', ['addr', 'add', address, 'dev', 'up0']);
// Of no host: whoever may go there waits.
const CREDENTIALS = ['169.254.169.254', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'];
for (const address of CREDENTIALS) await run('ip', ['route', 'add', address, 'dev', 'up0']);

/** One at a time: it is this process that has the user. */
async function as<T>(uid: number, task: () => Promise<T>): Promise<T> {
  process.seteuid?.(uid);
  try {
    return await task();
  } finally {
    process.seteuid?.(0);
  }
}

const serve = (uid: number, port: number): Promise<Server> =>
  as(uid, async () => {
    // The rules reset what is still open when they come, which is no concern of the server's.
    const answer = (socket: Socket): void => void socket.on('error', () => {}).end('answer');
    const server = createServer(answer).listen(port, '::');
    await once(server, 'listening');
    return server;
  });

const get = (uid: number, host: string, port = 8080): Promise<string> =>
  as(uid, () => {
    const socket = connect({ host, port, timeout: 1_000 });
    return new Promise((resolve) => {
      socket.on('timeout', () => resolve('timeout'));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      socket.on('data', (data) => resolve(data.toString()));
    });
  });

const servers = [await serve(0, 8080), await serve(0, 53), await serve(GUEST, 2222)];
async function reached(uid: number): Promise<string[]> {
  const answers: string[] = [];
  for (const address of ['127.0.0.1', '::1', '192.0.2.2', '169.254.1.1']) answers.push(await get(uid, address));
  return answers;
}
const credentials = (uid: number): Promise<string[]> => Promise.all(CREDENTIALS.map((address) => get(uid, address)));
const before = await reached(GUEST);
await closeHostTo(processes);
const results = {
  before,
  closed: await reached(GUEST),
  others: await reached(1_000),
  credentials: [await credentials(GUEST), await credentials(1_000)],
  resolvers: [await get(GUEST, '127.0.0.53', 53), await get(GUEST, '::1', 53), await get(GUEST, '127.0.0.1', 53)],
  forwarded: await get(0, '127.0.0.1', 2222),
};
await removeProcessRules(processes.owner);
console.log(JSON.stringify({ ...results, tables: await run('nft', ['list', 'tables']) }));
for (const server of servers) server.close();
