import { run } from '../run.ts';
import type { Machine } from './namespaces.ts';
import { until } from './until.ts';

/** Two guests on a bridge whose router the node is, and one on a bridge that the node has no part in. */
export interface SecondaryScenario6 {
  readonly outside: Machine;
  readonly guests: readonly [Machine, Machine, Machine];
}

/** What guests on bridges tried by IPv6, by the name of what they tried. */
export async function trySecondary6({ outside, guests }: SecondaryScenario6): Promise<Record<string, unknown>> {
  const [a, b, c] = guests;
  const results: Record<string, unknown> = {};
  await run('ip', ['addr', 'add', '2001:db8::2/64', 'dev', 'uplink', 'nodad']);
  await outside.ip('addr add 2001:db8::1/64 dev eth0 nodad');
  // Others on the bridge count what they hear of requests.
  const hears = ['udp dport 547', 'icmpv6 type nd-router-solicit'].map(
    (what) => `add rule ip6 t c ip6 saddr fe80::ff:fe00:0 ${what} counter`,
  );
  await b.exec(
    'nft',
    `add table ip6 t; add chain ip6 t c { type filter hook prerouting priority 0; }; ${hears.join('; ')}`,
  );
  for (const guest of guests) {
    await guest.set('ipv6/conf/eth0/dad_transmits', '0');
    await guest.set('ipv6/conf/eth0/router_solicitation_delay', '0');
    await guest.set('ipv6/conf/eth0/accept_ra_rt_info_max_plen', '64');
    // A card that comes up asks for a router.
    await guest.ip('link set eth0 down');
    await guest.ip('link set eth0 up');
  }
  const routesOf = (guest: Machine): Promise<string> =>
    until(
      () => guest.ip('-6 route show'),
      (text) => text.includes('fd77::/64'),
    );
  const told = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => !line.startsWith('fe80:'))
      .map((line) => line.replace(/fe80::58\S+/, 'ROUTER').replace(/ (proto|metric|expires) .*/, ''))
      .sort();
  results.routes = [told(await routesOf(a)), told(await routesOf(c))];
  await routesOf(b);
  results.given = [
    await a.askForAddress6('fe80::ff:fe00:0'),
    await b.askForAddress6('fe80::ff:fe00:1'),
    await c.askForAddress6('fe80::ff:fe00:0'),
  ].map((text) => text.replace(/fe80::58\S+/, 'ROUTER'));
  const heard = await b.exec('nft', 'list', 'table', 'ip6', 't');
  results.heard = [...heard.matchAll(/packets (\d+)/g)].map(([, count]) => count);
  for (const [index, guest] of guests.entries()) await guest.ip(`addr add fd77::1${index % 2}/128 dev eth0 nodad`);
  results.guestToGuest = await a.get('fd77::11', 80);
  results.guestToOutside = await a.get('2001:db8::1', 80);
  results.guestToNode = [await a.get('fd77::1', 22), await a.get('2001:db8::2', 22), await c.get('2001:db8::2', 22)];
  results.ping = await a.exec('ping', '-c1', '-W2', 'fd77::1').then(
    () => 'answered',
    ({ message }: Error) => message,
  );
  await a.ip('addr add fd66::9/128 dev eth0 nodad');
  results.foreignAddress = await a.get('2001:db8::1', 80, 'fd66::9');
  return results;
}
