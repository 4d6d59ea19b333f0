import { beforeAll, describe, expect, it } from 'vitest';
import { overlayMtu, type Peer, peerLines } from './overlay.ts';
import { run } from './run.ts';
import type { NetworkPlan } from './skeleton.ts';
import { whyNoNamespaces, whyNoWireguard } from './testing/namespaces.ts';

const SCENARIO = new URL('./testing/overlay.ts', import.meta.url).pathname;
const withoutNamespaces = await whyNoNamespaces();
const withoutWireguard =
  process.env.VIREO_TEST_LAB === '1' ? undefined : (withoutNamespaces ?? (await whyNoWireguard()));

const plan = { own: '10.244.0.254', overlay: 'vireo0-vx', wireguard: 'vireo0-wg' } as NetworkPlan;
const peer: Peer = { underlay: '192.0.2.12', own: '10.244.1.254', ranges: ['10.244.1.0/24', '10.244.0.7/32'] };

it('leads to a node by VXLAN, or by WireGuard where both have it; what is on this node comes first', () => {
  expect(peerLines(plan, peer)).toEqual([
    'neigh replace 10.244.1.254 lladdr 02:57:c0:00:02:0c dev vireo0-vx nud permanent',
    'route replace 10.244.1.254/32 dev vireo0-vx src 10.244.0.254 metric 100',
    'route replace 10.244.1.0/24 via 10.244.1.254 dev vireo0-vx onlink src 10.244.0.254 metric 100',
    'route replace 10.244.0.7/32 via 10.244.1.254 dev vireo0-vx onlink src 10.244.0.254 metric 100',
  ]);
  expect(peerLines(plan, { ...peer, wireguard: { publicKey: 'k', port: 51_820 } })).toEqual([
    'route replace 10.244.1.0/24 dev vireo0-wg src 10.244.0.254 metric 100',
    'route replace 10.244.0.7/32 dev vireo0-wg src 10.244.0.254 metric 100',
  ]);
});

it('leads to a node by IPv6, too, where both have it', () => {
  const ipv6 = { own: 'fd00::fe', gateway: '', podRange: '', clusterRange: '' };
  const other = { ...peer, own6: 'fd00:0:0:1::fe', ranges: [...peer.ranges, 'fd00:0:0:1::/64'] };
  expect(peerLines({ ...plan, ipv6 }, other).slice(4)).toEqual([
    'neigh replace fd00:0:0:1::fe lladdr 02:57:c0:00:02:0c dev vireo0-vx nud permanent',
    'route replace fd00:0:0:1::fe/128 dev vireo0-vx src fd00::fe metric 100',
    'route replace fd00:0:0:1::/64 via fd00:0:0:1::fe dev vireo0-vx onlink src fd00::fe metric 100',
  ]);
  expect(peerLines(plan, other)).toHaveLength(4);
});

it.each([
  [1500, { vxlan: 1450, wireguard: 1420 }],
  [1400, { vxlan: 1350, wireguard: 1320 }],
  [9000, { vxlan: 8950, wireguard: 8920 }],
  [65_536, { vxlan: 1450, wireguard: 1420 }],
  [undefined, { vxlan: 1450, wireguard: 1420 }],
])('where %s bytes fit into a packet between nodes, fewer of a guest do', (underlay, expected) => {
  expect(overlayMtu(underlay)).toEqual(expected);
});

describe.each([
  { how: 'VXLAN', why: withoutNamespaces, args: [] },
  { how: 'WireGuard', why: withoutWireguard, args: ['wireguard'] },
])('two nodes that are connected by $how', ({ how, why, args }) => {
  describe.skipIf(why)('', { meta: { whySkipped: why } }, () => {
    let results: Record<string, unknown>;
    beforeAll(async () => {
      results = JSON.parse(await run('unshare', ['--net', process.execPath, SCENARIO, ...args])) as typeof results;
    });

    it('let their guests meet, who see each other’s addresses', () => {
      expect(results.across).toEqual(['b 10.244.0.10', 'a 10.244.1.10']);
    });

    it('do all of it by IPv6, too', () => {
      expect(results.across6).toEqual(['b fd00:244::10', 'a fd00:244:0:1::10']);
      expect(results.nodeProgram6).toEqual([
        'the node itself',
        'outside 2001:db8::10',
        ...Array(3).fill('ECONNREFUSED'),
      ]);
      expect(results.service6).toEqual(['b 2001:db8::10', 'b fd00:244::10', 'b fd00:244::fe', 'b 2001:db8::1']);
      const found = ['moving fd00:244::10', 'moving fd00:244:0:1::10'];
      expect(results.announced6).toBe(found[0]);
      expect(results.moved6).toEqual(found);
      expect(results.denied6).toEqual(['timeout', 'timeout']);
      expect(results.back6).toEqual(found);
    });

    it('lead from a Service to the guests of both; from outside the node is what they see', () => {
      expect(results.service).toEqual(['b 10.244.0.10', 'b 10.244.0.254']);
      expect(results.loadBalancer).toEqual(['b 10.244.0.10', 'b 10.244.0.10', 'b 192.0.2.1']);
      expect(results.nodePort).toEqual(['b 192.0.2.10', 'b 192.0.2.10']);
      expect(results.hairpin).toBe('b');
      expect(results.external).toEqual(['ECONNREFUSED', 'b 192.0.2.1']);
    });

    it('refuse guests of the other node their own programs, at all addresses', () => {
      const refused = 'ECONNREFUSED';
      expect(results.nodeProgram).toEqual(['the node itself', refused, refused, 'the node itself', refused]);
      expect(results.highProgram).toEqual(['the node itself', refused, refused, refused]);
    });

    it('reach pods of a CNI plug-in where both have a route, and refuse what is for them where not', () => {
      expect(results.pods).toEqual(['ECONNREFUSED', 'outside 10.244.0.10', 'a 10.244.9.9']);
    });

    it('drop forged packets from outside and of guests', () => {
      expect(results.heard).toBe(how === 'VXLAN' ? 'by-node,by-guest-itself' : 'by-guest-itself');
    });

    it('lead to a guest that has moved, whose connections go on', () => {
      expect(results.beforeMove).toEqual(['moving 10.244.0.10', 'moving 10.244.1.10', 'before']);
      expect(results.announced).toBe('moving 10.244.0.10');
      expect(results.moved).toEqual(['moving 10.244.0.10', 'moving 10.244.1.10', 'after']);
      expect(results.fromMoved).toEqual(['a 10.244.0.20', 'b 10.244.0.20']);
      expect(results.back).toEqual(['moving 10.244.0.10', 'moving 10.244.1.10']);
    });

    it('apply the policies of the node that a guest has moved to', () => {
      expect(results.denied).toEqual(['timeout', 'timeout']);
      expect(results.allowed).toEqual(['moving 10.244.0.10', 'timeout']);
    });

    it.runIf(how === 'WireGuard')('have shaken hands', () => {
      expect(Number(String(results.handshakes).split(/\s/)[1])).toBeGreaterThan(0);
    });
  });
});
