import { once } from 'node:events';
import { connect } from 'node:net';
import { Dhcp6Server } from '../dhcp6/server.ts';
import { GATEWAY_MAC } from '../links.ts';
import type { Ruleset } from '../nft/ruleset.ts';
import { isolationFragment, policyChain, policyFragment } from '../policy.ts';
import { RouterAdvertiser } from '../router/advertiser.ts';
import { run } from '../run.ts';
import { type ServicePort, serviceFragment } from '../service.ts';
import type { Plan6 } from '../skeleton.ts';
import { askAt, type Machine } from './namespaces.ts';
import { until } from './until.ts';

const FORWARDING = new URL('../forwarding6.ts', import.meta.url).href;

/** The node and its guests, as far as IPv6 goes. */
export interface Scenario6 {
  readonly plan: Plan6;
  readonly ruleset: Ruleset;
  readonly outside: Machine;
  readonly guests: readonly [Machine, Machine, Machine];
  readonly addressOf: (index: number) => string;
  readonly linkLocalOf: (index: number) => string;
  readonly onError: (error: unknown) => void;
}

/** What each tried by IPv6, by the name of what it tried. */
export async function tryIpv6(scenario: Scenario6): Promise<Record<string, unknown>> {
  const { plan, ruleset, outside, guests, addressOf, linkLocalOf, onError } = scenario;
  const [a, b, c] = guests;
  await using stack = new AsyncDisposableStack();
  await run('ip', ['addr', 'add', '2001:db8::2/64', 'dev', 'uplink', 'nodad']);
  await run('ip', ['-6', 'route', 'add', 'default', 'via', '2001:db8::1']);
  await outside.ip('addr add 2001:db8::1/64 dev eth0 nodad');
  await outside.ip('addr add fd00:ec2::254/128 dev eth0 nodad');
  const advertiser = stack.use(new RouterAdvertiser({ onError }));
  for (const index of guests.keys()) advertiser.add(`vt${index}`, { mac: GATEWAY_MAC, mtu: 1450 });
  const leaseOf = (device: string) => ({ address: addressOf(Number(device.slice(2))), dnsServers: [], search: [] });
  stack.use(await Dhcp6Server.listen({ address: plan.gateway, mac: GATEWAY_MAC, leaseOf, onError }));

  const results: Record<string, unknown> = {};
  // A card that comes up asks for a router.
  for (const guest of guests) {
    await guest.set('ipv6/conf/eth0/dad_transmits', '0');
    await guest.set('ipv6/conf/eth0/router_solicitation_delay', '0');
    await guest.ip('link set eth0 down');
    await guest.ip('link set eth0 up');
    await guest.ip('route add default via 10.244.0.1');
  }
  results.router = await until(
    () => a.ip('-6 route show default'),
    (text) => text !== '',
  );
  results.given = [await a.askForAddress6(linkLocalOf(0)), await b.askForAddress6(linkLocalOf(1))];
  for (const [index, guest] of guests.entries()) await guest.ip(`addr add ${addressOf(index)}/128 dev eth0 nodad`);
  for (const guest of [b, c]) {
    await until(
      () => guest.ip('-6 route show default'),
      (text) => text !== '',
    );
  }
  results.guestToGuest = await a.get(addressOf(1), 80);
  results.guestToOutside = await a.get('2001:db8::1', 80);
  results.guestToNode = [
    await a.get(plan.gateway, 22),
    await a.get('2001:db8::2', 22),
    await a.get('fe80::1%eth0', 22),
    await a.get('fd00:ec2::254', 80),
  ];
  await a.ip('addr add fd00:244::99/128 dev eth0 nodad');
  results.dhcpOfGuests = await askAt(a, c, addressOf(0), 547, 546);
  results.foreignAddress = [await a.get(addressOf(1), 80, 'fd00:244::99'), await a.get(addressOf(1), 80, addressOf(0))];
  // Else it would take this one for connections to others.
  await a.ip('addr del fd00:244::99/128 dev eth0');

  const web: ServicePort = {
    id: 'default/web/http/6',
    family: 'IPv6',
    protocol: 'tcp',
    port: 8080,
    internal: ['fd00:96::10'],
    external: ['2001:db8::2'],
    nodePort: 30080,
    endpoints: [0, 1].map((index) => ({ address: addressOf(index), port: 80 })),
  };
  ruleset.put('service/web6', serviceFragment(web));
  ruleset.put(
    'service/empty6',
    serviceFragment({ ...web, id: 'empty/6', internal: ['fd00:96::11'], external: [], nodePort: 30081, endpoints: [] }),
  );
  ruleset.put(
    'service/sticky6',
    serviceFragment({
      ...web,
      id: 'sticky/6',
      internal: ['fd00:96::12'],
      external: [],
      nodePort: 30082,
      affinitySeconds: 60,
    }),
  );
  ruleset.put(
    'service/guarded6',
    serviceFragment({
      ...web,
      id: 'guarded/6',
      internal: [],
      port: 8081,
      nodePort: 30083,
      sourceRanges: ['2001:db8:1::/48'],
    }),
  );
  await ruleset.apply();
  const many = async (machine: Machine, host: string, port: number): Promise<string[]> => {
    const found = new Set<string>();
    for (let turn = 0; turn < 12; turn++) found.add(await machine.get(host, port));
    return [...found].sort();
  };
  results.service = await many(c, 'fd00:96::10', 8080);
  results.hairpin = (await many(a, 'fd00:96::10', 8080)).map((text) => text.split(' ')[0]);
  results.sticky = (await many(c, 'fd00:96::12', 8080)).length;
  results.nodePort = await many(outside, '2001:db8::2', 30080);
  const fromNode = async (port: number): Promise<string> => {
    const socket = connect({ host: '2001:db8::2', port, timeout: 5_000 });
    const text = await Promise.race([once(socket, 'data'), once(socket, 'timeout')]).catch(String);
    socket.destroy();
    return String(text).replace(/guest\d/, 'guest');
  };
  results.fromNode = [await fromNode(30080), await fromNode(8080)];
  results.fromGuest = [await many(c, '2001:db8::2', 30080), await many(c, '2001:db8::2', 8080)];
  results.external = await many(outside, '2001:db8::2', 8080);
  results.unserved = [await a.get('fd00:96::11', 8080), await outside.get('2001:db8::2', 30081)];
  results.guarded = await outside.get('2001:db8::2', 8081);
  results.unknown = await a.get('fd00:96::99', 80);
  for (const name of ['web6', 'empty6', 'sticky6', 'guarded6']) ruleset.drop(`service/${name}`);

  const allow = {
    id: 'default/allow6',
    direction: 'ingress',
    rules: [
      { peers: { addresses: ['10.244.0.10', addressOf(2)], blocks: [] }, ports: [{ protocol: 'tcp', port: 80 }] },
      {
        peers: { addresses: [], blocks: [{ cidr: 'fd00:244::/64', except: [`${addressOf(2)}/128`] }] },
        ports: [{ protocol: 'tcp', port: 81 }],
      },
    ],
  } as const;
  const closed = { id: 'default/closed6', direction: 'egress', rules: [] } as const;
  const isolate = (index: number, isolation: { ingress?: string[]; egress?: string[] }): void =>
    ruleset.put(
      `guest/${index}`,
      isolationFragment({ address: `10.244.0.1${index}`, address6: addressOf(index), ...isolation }),
    );
  ruleset.put('policy/allow6', policyFragment(allow));
  isolate(1, { ingress: [policyChain(allow)] });
  await ruleset.apply();
  results.policy = [
    await a.get(addressOf(1), 80),
    await c.get(addressOf(1), 80),
    await a.get(addressOf(1), 81),
    await c.get(addressOf(1), 81),
  ];
  ruleset.put('policy/closed6', policyFragment(closed));
  isolate(2, { egress: [policyChain(closed)] });
  await ruleset.apply();
  results.egress = [await c.get(addressOf(0), 80), await c.get('2001:db8::1', 80), await a.get(addressOf(2), 80)];
  for (const owner of ['guest/1', 'guest/2', 'policy/allow6', 'policy/closed6']) ruleset.drop(owner);
  await ruleset.apply();
  results.open = [await a.get(addressOf(1), 80), await c.get('2001:db8::1', 80)];

  // A host that learnt of its router by advertisements, as these guests have, begins to forward.
  await b.exec(process.execPath, '--input-type=module', '-e', `(await import('${FORWARDING}')).forwardIpv6()`);
  await c.set('ipv6/conf/all/forwarding', '1');
  const routerOf = async (machine: Machine): Promise<boolean> => (await machine.ip('-6 route show default')) !== '';
  results.forwarding = { ours: await routerOf(b), plain: await routerOf(c) };
  return results;
}
