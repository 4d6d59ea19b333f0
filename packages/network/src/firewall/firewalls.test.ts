import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../run.ts';
import { whyNoNamespaces } from '../testing/namespaces.ts';

const whyNot = await whyNoNamespaces();
const hasIptables = await run('iptables', ['--version']).then(
  (version) => version.includes('nf_tables'),
  () => false,
);
const SCENARIO = new URL('../testing/firewalls.ts', import.meta.url).pathname;

/** As Docker 28 begins its tables of both families. */
const DOCKER = `
for tool in iptables ip6tables; do
  $tool -P FORWARD DROP
  for chain in DOCKER-USER DOCKER-FORWARD DOCKER-CT; do $tool -N $chain; done
  $tool -A DOCKER-CT -o docker0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
  $tool -A DOCKER-FORWARD -j DOCKER-CT
  $tool -A DOCKER-FORWARD -i docker0 -j ACCEPT
  $tool -A FORWARD -j DOCKER-USER
  $tool -A FORWARD -j DOCKER-FORWARD
done
`;
/** A table for IPv6 alone. */
const NFTABLES6 = `
nft add table ip6 own
nft 'add chain ip6 own forward { type filter hook forward priority 0; policy drop; }'
nft add rule ip6 own forward ip6 daddr 2001:db8::/32 accept
nft add rule ip6 own forward ct state established,related accept
`;
/** As the workstation example of nftables does it, with a chain for what is forwarded. */
const NFTABLES = `
nft add table inet filter
nft 'add chain inet filter forward { type filter hook forward priority 0; policy drop; }'
nft 'add chain inet filter input { type filter hook input priority 0; policy drop; }'
for chain in forward input; do nft add rule inet filter $chain ct state established,related accept; done
nft 'add rule inet filter input icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept'
`;

interface Result {
  readonly before: Record<string, string>;
  readonly found: readonly { readonly reason: string; readonly problem: string; readonly command: string }[];
  readonly after: Record<string, string>;
  readonly left: readonly unknown[];
}

const OPEN = {
  toOutside: 'outside 192.0.2.2',
  toGuest: 'guest1 10.244.0.10',
  fromOutside: 'guest0 192.0.2.1',
  address: '10.244.0.10',
  toOutside6: 'outside 2001:db8::2',
  toGuest6: 'guest1 fd00:244::10',
  address6: 'fd00:244::10 86400s from fe80::1%eth0',
};

describe.skipIf(whyNot)('a firewall of others', { meta: { whySkipped: whyNot } }, () => {
  let results: Result[];
  let restored: Record<string, string>;
  beforeAll(async () => {
    const firewalls = JSON.stringify([NFTABLES, NFTABLES6, ...(hasIptables ? [DOCKER] : [])]);
    const printed = await run('unshare', ['--net', process.execPath, SCENARIO, firewalls]);
    ({ results, restored } = JSON.parse(printed) as { results: Result[]; restored: Record<string, string> });
  }, 60_000);

  it('with a policy of drop is found, and lets guests pass after the command that mends it', () => {
    const [{ before, found, after, left } = {} as Result] = results;
    expect(new Set(Object.values(before))).toEqual(new Set(['timeout']));
    expect(found).toMatchObject([{ reason: 'ForwardPolicyDrop' }]);
    expect({ after, left }).toEqual({ after: OPEN, left: [] });
  });

  it('for IPv6 alone is found as such', () => {
    const { before, found, after, left } = results[1] as Result;
    expect(before).toEqual({ ...OPEN, toGuest6: 'timeout' });
    expect(found).toMatchObject([
      {
        reason: 'ForwardPolicyDrop',
        problem: expect.stringMatching(/^the table ip6 own of nftables drops what .* by IPv6$/),
        command: expect.stringContaining("nft insert rule ip6 own forward 'oifname"),
      },
    ]);
    expect({ after, left }).toEqual({ after: OPEN, left: [] });
  });

  it('that is flushed with all rules of the host takes ours away only for a moment', () => {
    expect(restored).toEqual(OPEN);
  });

  it.runIf(hasIptables)('that is Docker’s is found, and lets guests pass after the command that mends it', () => {
    const { before, found, after, left } = results[2] as Result;
    expect(before).toEqual({
      ...OPEN,
      toOutside: 'timeout',
      toGuest: 'timeout',
      fromOutside: 'timeout',
      toOutside6: 'timeout',
      toGuest6: 'timeout',
    });
    expect(found.map(({ reason }) => reason)).toEqual(['DockerDropsForwarded', 'DockerDropsForwarded']);
    expect(found[1]?.command).toContain('ip6tables -I DOCKER-USER -i vt+ -o uplink -j ACCEPT');
    expect({ after, left }).toEqual({ after: OPEN, left: [] });
  });
});
