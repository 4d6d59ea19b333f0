import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { ApiError } from '@vireo/api';
import { KUBELET_GROUP, kubeletUser, NODE_GROUP, nodeUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { testAuthority } from '@vireo/apiserver/testing/certificates.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PeerSession } from './peerClient.ts';
import { type Listening, type PeerRequests, StreamThread } from './streamThread.ts';

const cluster = testAuthority();
const host = '127.0.0.1';
const issue = (commonName: string, group: string, use: 'server' | 'client') => {
  const subjectAltNames = { dnsNames: [], ipAddresses: [host] };
  const { certPem: cert, keyPem: key } = cluster.issue({ commonName, organizations: [group], use, subjectAltNames });
  return { cert, key, ca: cluster.caPem };
};
const credentials = issue(nodeUser('source'), NODE_GROUP, 'client');
const threads = { source: new StreamThread(), target: new StreamThread() };
let directory: string;
let qemu: Server;

beforeAll(async () => {
  directory = await mkdtemp('/tmp/vireo-streams-');
  qemu = createServer((socket) => void socket.pipe(socket)).listen(join(directory, 'qemu'));
  await once(qemu, 'listening');
});
afterAll(async () => {
  await Promise.all(Object.values(threads).map((thread) => thread.close()));
  qemu.close();
  await rm(directory, { recursive: true, force: true });
});

const listen = (requests: Partial<PeerRequests> = {}): Promise<Listening> =>
  threads.target.listen(
    host,
    issue(kubeletUser('target'), KUBELET_GROUP, 'server'),
    {
      call: async (caller, _, word, body) => ({ caller, word, body }),
      open: async () => ({ path: join(directory, 'qemu'), uid: process.getuid?.() }),
      ...requests,
    },
    () => {},
  );

const offerTo = (port: number, path: string, onError: (error: unknown) => void) =>
  threads.source.offer(
    {
      path,
      user: undefined,
      peer: { node: 'target', host, port },
      credentials,
      migrationUid: 'abc-1',
      channel: 'memory',
    },
    onError,
  );

it('carries a channel to the socket that the target names', async () => {
  const target = await listen();
  const path = join(directory, 'to-memory');
  const end = await offerTo(target.port, path, () => {});
  const sent = randomBytes(8 * 1024 * 1024);
  const socket = connect(path);
  socket.write(sent);
  const back: Buffer[] = [];
  socket.on('data', (chunk) => back.push(chunk));
  await expect.poll(() => Buffer.concat(back).length).toBe(sent.length);
  expect(Buffer.compare(Buffer.concat(back), sent)).toBe(0);
  await end.close();
  await target.close();
  await expect(once(connect(path), 'connect')).rejects.toThrow('ENOENT');
});

it('breaks a channel off that the target refuses, and says why', async () => {
  const target = await listen({
    open: async () => {
      throw new ApiError('Forbidden', 'no guest comes from there');
    },
  });
  const refused = Promise.withResolvers<unknown>();
  const path = join(directory, 'to-disks');
  const end = await offerTo(target.port, path, refused.resolve);
  const socket = connect(path);
  socket.resume();
  expect(await refused.promise).toMatchObject({ message: 'no guest comes from there' });
  await once(socket, 'close');
  await end.close();
  await target.close();
});

it('hands questions of other nodes to the agent', async () => {
  const target = await listen();
  using session = new PeerSession(() => ({ node: 'target', host, port: target.port }), credentials, 'abc-1');
  expect(await session.ask('bases', { a: 1 })).toEqual({ caller: 'source', word: 'bases', body: { a: 1 } });
  await target.close();
});

it('tells when the thread is gone, and starts another', async () => {
  const target = await listen();
  await threads.target.close();
  await target.ended;
  await target.close();
  await (await listen()).close();
});
