import { DnsServer } from '@vireo/network';
import { expect, it } from 'vitest';
import { lookUp } from './lookUp.ts';
import { candidates, reverseName } from './names.ts';
import { type Answer, type Ask, askServer } from './sources.ts';

it.each<[string, string[]]>([
  ['web', ['web.lab.svc.cluster.local', 'web.svc.cluster.local', 'web.cluster.local']],
  [
    'web.default',
    ['web.default', 'web.default.lab.svc.cluster.local', 'web.default.svc.cluster.local', 'web.default.cluster.local'],
  ],
  ['example.org.', ['example.org']],
  ['10.96.0.1', ['1.0.96.10.in-addr.arpa']],
])('%s is looked up as guests do', (name, expected) => {
  expect(candidates(name, 'lab', 'cluster.local')).toEqual(expected);
});

it.each([
  ['fd00::1', `1.${'0.'.repeat(27)}0.0.d.f.ip6.arpa`],
  ['::', `${'0.'.repeat(32)}ip6.arpa`],
  ['1:2:3:4:5:6:7:8', '8.0.0.0.7.0.0.0.6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.ip6.arpa'],
])('the reverse name of %s', (address, expected) => expect(reverseName(address)).toBe(expected));

const question = { namespace: 'lab', domain: 'cluster.local', ranges: ['10.96.0.0/16'] };

it('the first name that exists counts, and those that nobody can tell of are said', async () => {
  const answers: Record<string, Answer> = {
    'web.default': { status: 'unknown', why: 'it does not answer' },
    'web.default.svc.cluster.local': {
      status: 'found',
      records: [{ name: 'web.default.svc.cluster.local', type: 'A', data: '10.96.0.9' }],
    },
  };
  const ask: Ask = async (name) => answers[name] ?? { status: 'missing' };
  expect(await lookUp({ ...question, asked: 'web.default' }, ask)).toEqual({
    asked: 'web.default',
    name: 'web.default.svc.cluster.local',
    isOwn: true,
    records: [{ name: 'web.default.svc.cluster.local', type: 'A', data: '10.96.0.9' }],
    tried: ['web.default.lab.svc.cluster.local'],
    unknown: [{ name: 'web.default', why: 'it does not answer' }],
  });
});

it('a server is asked for addresses, aliases, ports and names', async () => {
  const name = 'web.lab.svc.cluster.local';
  const srv = { priority: 0, weight: 100, port: 80, target: name };
  const records = [
    { name, type: 'A', ttl: 5, data: '10.96.0.9' },
    { name, type: 'SRV', ttl: 5, data: srv },
    { name: 'far.lab.svc.cluster.local', type: 'CNAME', ttl: 5, data: 'example.org' },
    { name: '9.0.96.10.in-addr.arpa', type: 'PTR', ttl: 5, data: name },
  ] as const;
  await using server = await DnsServer.listen({
    address: '127.0.0.1',
    port: 0,
    zone: {
      resolve: (asked, type) => {
        const own = records.filter((record) => record.name === asked);
        return { exists: own.length > 0, records: own.filter((record) => record.type === type) };
      },
    },
    upstreams: async () => [],
    onError: () => {},
  });
  const ask = askServer(`127.0.0.1:${server.port}`);
  const found = async (asked: string, type?: 'SRV') => {
    const { records: own } = await lookUp({ ...question, asked, ...(type && { type }) }, ask);
    return own.map(({ type: kind, data }) => `${kind} ${data}`);
  };
  expect(await found('web')).toEqual(['A 10.96.0.9']);
  expect(await found('web', 'SRV')).toEqual([`SRV 0 100 80 ${name}`]);
  expect(await found('far')).toEqual(['CNAME example.org']);
  expect(await found('10.96.0.9')).toEqual([`PTR ${name}`]);
  expect((await lookUp({ ...question, asked: 'nobody' }, ask)).tried).toHaveLength(3);
});
