import { expect, it } from 'vitest';
import { run } from '../run.ts';
import { whyNoNamespaces } from '../testing/namespaces.ts';
import { elementBatch } from './netlink.ts';
import { declaredTypes, setType } from './setTypes.ts';

const why = await whyNoNamespaces();
const SCENARIO = new URL('../testing/elements.ts', import.meta.url).pathname;

it.skipIf(why)(
  'elements are the same in the kernel whether nft brings them or a transaction of our own',
  { meta: { whySkipped: why } },
  async () => {
    const seen = JSON.parse(await run('unshare', ['--net', process.execPath, SCENARIO])) as Record<
      string,
      { isSame: boolean; needed: [number, number]; elements: number }
    >;
    const summary = Object.entries(seen).map(([name, { isSame, needed }]) => [name, isSame, ...needed]);
    expect(summary).toEqual([
      ['everything', true, 1, 1],
      ['a card more', true, 1, 0],
      ['an endpoint more', true, 1, 0],
      ['no endpoint', true, 1, 0],
      ['endpoints again, and a member more', true, 1, 0],
      ['too many endpoints', true, 1, 1],
      ['a card less', true, 1, 0],
      ['nothing', true, 1, 1],
    ]);
    expect([seen['a card more']?.elements, seen.nothing?.elements]).toEqual([28, 0]);
  },
);

it.each([
  ['type ipv4_addr;', { key: ['ipv4_addr'] }],
  ['type ifname . ether_addr;', { key: ['ifname', 'ether_addr'] }],
  ['type ipv6_addr : verdict;', { key: ['ipv6_addr'], value: 'verdict' }],
  [
    'typeof meta l4proto . th dport . numgen random mod 2 : ip daddr . th dport;',
    { key: ['inet_proto', 'inet_service', 'integer'], value: ['ipv4_addr', 'inet_service'] },
  ],
  ['type ipv4_addr; flags interval; auto-merge;', undefined],
  ['type mark;', undefined],
])('the type of a set that is declared by %s', (declaration, type) => {
  expect(setType(declaration)).toEqual(type);
});

it('types of sets are by the family of their table', () => {
  const commands =
    'add table arp t\ntable arp t {\n  set a { type ifname; }\n}\ntable inet t {\n  set a { type ipv4_addr; }\n}\n';
  expect([...declaredTypes(commands).keys()]).toEqual(['arp a', 'inet a']);
});

it('what cannot be said in a transaction is left to nft', () => {
  const element = { family: 'inet', set: 'a', key: '10.0.0.0/8' } as const;
  expect(elementBatch('t', [{ before: undefined, after: element }], () => undefined)).toBeUndefined();
  const ipv4 = { ...element, key: '10.0.0.1' };
  const many = Array.from({ length: 4_000 }, () => ({ before: undefined, after: ipv4 }));
  expect(elementBatch('t', many, () => ({ key: ['ipv4_addr'] }))).toBeUndefined();
  // None of these sets is too large for a message, but all are for a socket.
  const several = many.map(({ before, after }, index) => ({ before, after: { ...after, set: `s${index % 5}` } }));
  expect(elementBatch('t', several.slice(0, 100), () => ({ key: ['ipv4_addr'] }))?.replies).toBe(5);
  const twice = [...several, ...several];
  expect(elementBatch('t', twice, () => ({ key: ['ipv4_addr'] }))).toBeUndefined();
});
