import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Answer, decode, encode } from 'dns-packet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { framed, frames } from './frames.ts';
import { answerDns } from './reply.ts';
import { parseResolvConf } from './resolvConf.ts';
import { DnsServer } from './server.ts';
import type { Zone } from './zone.ts';

const HOST = '127.0.0.1';
const records: Readonly<Record<string, readonly Answer[]>> = {
  'web.default.svc.cluster.local': [{ name: 'web.default.svc.cluster.local', type: 'A', ttl: 5, data: '10.96.0.10' }],
  'many.default.svc.cluster.local': Array.from({ length: 200 }, (_, index) => ({
    name: 'many.default.svc.cluster.local',
    type: 'A',
    ttl: 5,
    data: `10.244.0.${index}`,
  })),
};
const zone: Zone = {
  resolve(name, type) {
    if (!name.endsWith('cluster.local')) return undefined;
    const found = records[name];
    return { exists: found !== undefined, records: (found ?? []).filter((each) => each.type === type) };
  },
};

describe('a DNS server', () => {
  const stack = new AsyncDisposableStack();
  const errors: unknown[] = [];
  let resolver: Resolver;
  beforeAll(async () => {
    const upstream = await fakeUpstream(stack);
    const server = stack.use(
      await DnsServer.listen({
        address: HOST,
        port: 0,
        zone,
        upstreams: async () => [upstream],
        onError: (error) => errors.push(error),
      }),
    );
    resolver = new Resolver({ timeout: 2_000, tries: 1 });
    resolver.setServers([`${HOST}:${server.port}`]);
  });
  afterAll(() => stack.disposeAsync());

  it('answers from its zone, whatever the case of the letters', async () => {
    expect(await resolver.resolve4('web.default.svc.cluster.local')).toEqual(['10.96.0.10']);
    expect(await resolver.resolve4('WEB.default.svc.Cluster.Local')).toEqual(['10.96.0.10']);
  });

  it('tells a name without such records from one that does not exist', async () => {
    await expect(resolver.resolve6('web.default.svc.cluster.local')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve4('db.default.svc.cluster.local')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('gives long answers over TCP', async () => {
    expect(await resolver.resolve4('many.default.svc.cluster.local')).toHaveLength(200);
  });

  it('asks other servers for other names, over UDP and TCP', async () => {
    expect(await resolver.resolve4('example.org')).toEqual(['192.0.2.7']);
    expect(await resolver.resolve4('long.example.org')).toHaveLength(100);
  });

  it('says that it failed if no other server replies', async () => {
    await using lonely = await DnsServer.listen({
      address: HOST,
      port: 0,
      zone,
      upstreams: async () => [],
      onError: (error) => errors.push(error),
    });
    resolver.setServers([`${HOST}:${lonely.port}`]);
    await expect(resolver.resolve4('example.org')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    expect(String(errors.pop())).toBe('Error: this host has no DNS server');
  });
});

/** A server of the host's: it truncates what is long over UDP. */
async function fakeUpstream(stack: AsyncDisposableStack) {
  const answers = (query: Buffer): Answer[] => {
    const name = decode(query).questions?.[0]?.name ?? '';
    const count = name.startsWith('long') ? 100 : 1;
    return Array.from({ length: count }, (_, index) => ({ name, type: 'A', ttl: 5, data: `192.0.2.${7 + index}` }));
  };
  const replyTo = (query: Buffer, isTcp: boolean): Buffer => {
    const { id, questions } = decode(query);
    const found = answers(query);
    const isTruncated = !isTcp && found.length > 10;
    return encode({
      type: 'response',
      id: id ?? 0,
      flags: isTruncated ? 0x200 : 0,
      questions: questions ?? [],
      answers: isTruncated ? [] : found,
    });
  };
  const tcp = createServer((socket) => {
    socket.on('error', () => {});
    socket.on(
      'data',
      frames((query) => socket.write(framed(replyTo(query, true)))),
    );
  }).listen(0, HOST);
  await once(tcp, 'listening');
  const address = tcp.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const udp = createSocket('udp4');
  udp.on('message', (query, from) => udp.send(replyTo(query, false), from.port, from.address));
  udp.bind(port, HOST);
  await once(udp, 'listening');
  stack.defer(() => {
    tcp.close();
    udp.close();
  });
  return { address: HOST, port };
}

describe('answerDns', () => {
  const question = { type: 'A', name: 'web.default.svc.cluster.local' } as const;
  it.each([
    ['a message that is too short', Buffer.alloc(4), 'ignore'],
    ['a reply', encode({ type: 'response', id: 1, questions: [question] }), 'ignore'],
    ['a query for another name', encode({ type: 'query', id: 1, questions: [{ type: 'A', name: 'a.b' }] }), 'forward'],
    ['a query with two questions', encode({ type: 'query', id: 1, questions: [question, question] }), 'reply'],
    ['a query that ends too early', encode({ type: 'query', id: 1, questions: [question] }).subarray(0, 20), 'reply'],
  ])('%s', (_title, message, kind) => {
    expect(answerDns(message, zone, { isTcp: false }).kind).toBe(kind);
  });
});

describe('parseResolvConf', () => {
  it('reads the servers, without those that are ours', () => {
    const text =
      '# by hand\nsearch lan\nnameserver 127.0.0.53\n nameserver  2001:db8::1 \nnameserver 10.244.0.1\nnameserver x\n';
    expect(parseResolvConf(text, new Set(['10.244.0.1'])).map(({ address }) => address)).toEqual([
      '127.0.0.53',
      '2001:db8::1',
    ]);
  });
});
