import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../run.ts';
import { whyNoNamespaces } from '../testing/namespaces.ts';

const whyNot = await whyNoNamespaces();
const hasIptables = await run('iptables', ['--version']).then(
  (version) => version.includes('nf_tables'),
  () => false,
);
const SCENARIO = new URL('../testing/firewalls.ts', import.meta.url).pathname;

/** As Docker 28 begins its table. */
const DOCKER = `
iptables -P FORWARD DROP
for chain in DOCKER-USER DOCKER-FORWARD DOCKER-CT; do iptables -N $chain; done
iptables -A DOCKER-CT -o docker0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
iptables -A DOCKER-FORWARD -j DOCKER-CT
iptables -A DOCKER-FORWARD -i docker0 -j ACCEPT
iptables -A FORWARD -j DOCKER-USER
iptables -A FORWARD -j DOCKER-FORWARD
`;
/** As the workstation example of nftables does it, with a chain for what is forwarded. */
const NFTABLES = `
nft add table inet filter
nft 'add chain inet filter forward { type filter hook forward priority 0; policy drop; }'
nft 'add chain inet filter input { type filter hook input priority 0; policy drop; }'
for chain in forward input; do nft add rule inet filter $chain ct state established,related accept; done
`;

interface Result {
  readonly before: Record<string, string>;
  readonly found: readonly { readonly reason: string }[];
  readonly after: Record<string, string>;
  readonly left: readonly unknown[];
}

const OPEN = {
  toOutside: 'outside 192.0.2.2',
  toGuest: 'guest1 10.244.0.10',
  fromOutside: 'guest0 192.0.2.1',
  address: '10.244.0.10',
};

describe.skipIf(whyNot)('a firewall of others', () => {
  let results: Result[];
  let restored: Record<string, string>;
  beforeAll(async () => {
    const firewalls = JSON.stringify([NFTABLES, ...(hasIptables ? [DOCKER] : [])]);
    const printed = await run('unshare', ['--net', process.execPath, SCENARIO, firewalls]);
    ({ results, restored } = JSON.parse(printed) as { results: Result[]; restored: Record<string, string> });
  }, 60_000);

  it('with a policy of drop is found, and lets guests pass after the command that mends it', () => {
    const [{ before, found, after, left } = {} as Result] = results;
    expect(new Set(Object.values(before))).toEqual(new Set(['timeout']));
    expect(found).toMatchObject([{ reason: 'ForwardPolicyDrop' }]);
    expect({ after, left }).toEqual({ after: OPEN, left: [] });
  });

  it('that is flushed with all rules of the host takes ours away only for a moment', () => {
    expect(restored).toEqual(OPEN);
  });

  it.runIf(hasIptables)('that is Docker’s is found, and lets guests pass after the command that mends it', () => {
    const { before, found, after, left } = results[1] as Result;
    expect(before).toEqual({
      toOutside: 'timeout',
      toGuest: 'timeout',
      fromOutside: 'timeout',
      address: '10.244.0.10',
    });
    expect(found).toMatchObject([{ reason: 'DockerDropsForwarded' }]);
    expect({ after, left }).toEqual({ after: OPEN, left: [] });
  });
});
