import { beforeAll, describe, expect, it } from 'vitest';
import { run } from './run.ts';
import { whyNoNamespaces } from './testing/namespaces.ts';

const why = await whyNoNamespaces();
const SCENARIO = new URL('./testing/node.ts', import.meta.url).pathname;

describe.skipIf(why)('the network of a node', { meta: { whySkipped: why } }, () => {
  let results: Record<string, unknown>;
  beforeAll(async () => {
    results = JSON.parse(await run('unshare', ['--net', process.execPath, SCENARIO])) as typeof results;
  }, 60_000);

  it('offers a guest its own address, also to a client that hears only broadcasts', () => {
    expect(results.offered).toEqual(['10.244.0.10', 'timeout']);
  });

  it('answers the names that guests ask for, and nobody else', () => {
    expect(results.lookedUp).toEqual(['10.96.0.10', 'ECONNREFUSED']);
  });

  it('lets guests reach each other and the outside, which sees the node', () => {
    expect(results.guestToGuest).toBe('guest1 10.244.0.10');
    expect(results.guestToOutside).toBe('outside 192.0.2.2');
  });

  it('leads from a Service to each of its endpoints, which see the client', () => {
    expect(results.service).toEqual(['guest0 10.244.0.12', 'guest1 10.244.0.12']);
    expect(results.serviceFromNode).toBe('guest 10.244.0.254');
    expect(results.nodePort).toEqual(['guest0 192.0.2.1', 'guest1 192.0.2.1']);
    expect(results.loadBalancer).toEqual(['guest0 192.0.2.1', 'guest1 192.0.2.1']);
  });

  it('leads a guest to itself through its own Service', () => {
    expect(results.hairpin).toEqual(['guest0', 'guest1']);
  });

  it('leads a client to the same endpoint if the Service has session affinity', () => {
    expect(results.sticky).toBe(1);
  });

  it('refuses connections to a Service without endpoints, and to ports of the node', () => {
    expect(results.unserved).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
    expect(results.guestToNode).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
  });

  it('has those wait who are connected to a guest without a route, and refuses who is new', () => {
    expect(results.absent).toEqual(['open', 'ECONNREFUSED', 'node', 'guest']);
  });

  it('refuses connections to what clouds tell their hosts', () => {
    expect(results.credentials).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
  });

  it('lets guests hear no DHCP replies of other guests', () => {
    expect(results.dhcpOfGuests).toEqual(['guest0', 'timeout']);
    expect((results.ipv6 as typeof results).dhcpOfGuests).toEqual(['guest0', 'timeout']);
  });

  it('drops what a guest sends from an address that is not its own', () => {
    expect(results.foreignAddress).toBe('timeout');
  });

  it('drops what no policy permits to a guest that one selects', () => {
    expect(results.denied).toEqual(['timeout', 'timeout']);
    expect(results.allowed).toEqual(['timeout', 'guest1 10.244.0.12', 'timeout']);
    expect(results.egress).toEqual(['timeout', 'guest1 10.244.0.12', 'timeout', 'timeout']);
    expect(results.open).toEqual(['guest1 10.244.0.10', 'outside 192.0.2.2']);
  });

  it('leads datagrams to the endpoint that a Service has now, once flows to the former are forgotten', () => {
    expect(results.datagrams).toEqual(['guest0', 'guest0', 'guest1']);
    expect(results.datagramsFromOutside).toEqual([
      ['guest0', 'guest0'],
      ['guest0', 'guest1'],
    ]);
  });

  it('opens only the ports that a card lists', () => {
    expect(results.ports).toEqual(['timeout', 'guest1 10.244.0.10']);
    expect(results.offeredWithPorts).toBe('10.244.0.10');
  });

  describe('by IPv6', () => {
    let results6: Record<string, unknown>;
    beforeAll(() => {
      results6 = results.ipv6 as typeof results6;
    });

    it('tells a guest that asks for a router where it is, and gives it its own address', () => {
      expect(results6.router).toMatch(/^default via fe80::1 dev eth0 proto ra .* mtu 1450 /);
      expect(results6.given).toEqual([
        'fd00:244::10 86400s from fe80::1%eth0',
        'fd00:244::11 86400s from fe80::1%eth0',
      ]);
    });

    it('lets guests reach each other and the outside, which sees the node', () => {
      expect(results6.guestToGuest).toBe('guest1 fd00:244::10');
      expect(results6.guestToOutside).toBe('outside 2001:db8::2');
    });

    it('refuses connections to the node and to what clouds tell their hosts', () => {
      expect(results6.guestToNode).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'timeout', 'ECONNREFUSED']);
    });

    it('drops what a guest sends from an address that is not its own', () => {
      expect(results6.foreignAddress).toEqual(['timeout', 'guest1 fd00:244::10']);
    });

    it('leads from a Service to each of its endpoints, which see the client', () => {
      expect(results6.service).toEqual(['guest0 fd00:244::12', 'guest1 fd00:244::12']);
      expect(results6.hairpin).toEqual(['guest0', 'guest1']);
      expect(results6.sticky).toBe(1);
      expect(results6.nodePort).toEqual(['guest0 2001:db8::1', 'guest1 2001:db8::1']);
      expect(results6.external).toEqual(['guest0 2001:db8::1', 'guest1 2001:db8::1']);
      expect(results6.fromNode).toEqual(['guest 2001:db8::2', 'guest 2001:db8::2']);
      const fromGuest = ['guest0 fd00:244::12', 'guest1 fd00:244::12'];
      expect(results6.fromGuest).toEqual([fromGuest, fromGuest]);
    });

    it('refuses connections to a Service without endpoints, or that is none, or not for the client', () => {
      expect(results6.unserved).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
      expect(results6.unknown).toBe('ECONNREFUSED');
      expect(results6.guarded).toBe('timeout');
    });

    it('does not take the router of a host away that begins to forward', () => {
      expect(results6.forwarding).toEqual({ ours: true, plain: false });
    });

    it('drops what no policy permits', () => {
      expect(results6.policy).toEqual(['timeout', 'guest1 fd00:244::12', 'guest1 fd00:244::10', 'timeout']);
      expect(results6.egress).toEqual(['timeout', 'timeout', 'guest2 fd00:244::10']);
      expect(results6.open).toEqual(['guest1 fd00:244::10', 'outside 2001:db8::2']);
    });
  });

  it('changes only elements if the endpoints of a Service change', () => {
    // Endpoints of its three ways, and how many there are.
    expect(results.changed).toEqual({ answers: ['guest2 10.244.0.10'], sent: [9] });
  });

  it('leads nobody to a Service that names an address of another, whose own endpoints come and go', () => {
    expect(results.rivals).toEqual({
      internal: ['guest1 10.244.0.12'],
      external: ['guest0 192.0.2.1', 'guest1 192.0.2.1'],
    });
  });

  it('loads everything anew if somebody deleted its table', () => {
    expect(results.reloaded).toEqual({ answers: ['guest1 10.244.0.10'], reloads: 1 });
  });

  it('mends devices that somebody else has changed', () => {
    expect(results.mended).toEqual([expect.not.stringContaining('guest1'), 'guest1 10.244.0.10', '10.244.0.10']);
  });

  it('leaves nothing behind when all is dropped', () => {
    expect(results.left).toEqual([]);
  });
});
