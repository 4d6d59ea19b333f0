/**
 * The same rules in two tables, by nft and by transactions of our own. Run by `unshare --net`. Prints what nft lists of both
 * after each change, and how often nft was needed for it, as JSON.
 */
import { cardFragment } from '../card.ts';
import type { Fragment } from '../nft/fragment.ts';
import { Ruleset } from '../nft/ruleset.ts';
import { isolationFragment, policyFragment } from '../policy.ts';
import { run, transact, useRunner } from '../run.ts';
import { type ServicePort, serviceFragment } from '../service.ts';
import { type NetworkPlan, skeleton } from '../skeleton.ts';

useRunner();
const plan = (name: string): NetworkPlan => ({
  ...{ name, gateway: '10.244.0.1', own: '10.244.0.254', podRange: '10.244.0.0/24', clusterRange: '10.244.0.0/16' },
  ...{ serviceRange: '10.96.0.0/16', overlay: 'vireo-vx', overlayPort: 4789, vni: 1, wireguard: 'vireo-wg' },
  apiServer: { address: '10.96.0.1', port: 443 },
  ipv6: {
    ...{ gateway: 'fd00:244::1', own: 'fd00:244::fe', podRange: 'fd00:244::/64' },
    ...{ clusterRange: 'fd00:244::/56', serviceRange: 'fd00:96::/112' },
  },
});
const [BY_NFT, BY_US] = ['vireo0', 'vireo1'];
const scripts = { [BY_NFT]: 0, [BY_US]: 0 };
const rulesetOf = (table: string, own: Pick<ConstructorParameters<typeof Ruleset>[0], 'transact'>): Ruleset =>
  new Ruleset({
    table,
    skeleton: skeleton(plan(table)),
    nft: (script) => {
      scripts[table] = (scripts[table] ?? 0) + 1;
      return run('nft', ['-f', '-'], script);
    },
    onReload: (error) => {
      throw error;
    },
    ...own,
  });
const rulesets = [rulesetOf(BY_NFT, {}), rulesetOf(BY_US, { transact })];

const card = (index: number): Fragment =>
  cardFragment({
    device: `vt${index}-abcdef`,
    mac: `02:00:00:00:ff:0${index}`,
    address: `10.244.0.1${index}`,
    address6: `fd00:244::1${index}`,
  });
const service = (count: number, own: Partial<ServicePort> = {}): Fragment =>
  serviceFragment({
    ...{ id: 'default/web/http', family: 'IPv4', protocol: 'tcp', port: 80, nodePort: 30080 },
    ...{ internal: ['10.96.0.10'], external: ['192.0.2.2'] },
    endpoints: Array.from({ length: count }, (_, index) => ({ address: `10.244.0.1${index}`, port: 8080 + index })),
    ...own,
  });
const service6 = (count: number): Fragment =>
  service(count, {
    ...{ id: 'default/web/http6', family: 'IPv6', protocol: 'sctp', internal: ['fd00:96::a'], external: [] },
    endpoints: Array.from({ length: count }, (_, index) => ({ address: `fd00:244::1${index}`, port: 53 })),
  });
const policy = (members: number): Fragment =>
  policyFragment({
    ...{ id: 'default/allow', direction: 'ingress' },
    rules: [
      {
        peers: {
          addresses: Array.from({ length: members }, (_, index) => [`10.244.1.${index}`, `fd00:244::${index}`]).flat(),
          blocks: [{ cidr: '192.0.2.0/24', except: ['192.0.2.128/25'] }],
        },
      },
    ],
  });
const chains = { ingress: ['policy/default/allow/ingress'] };
const guest = (index: number): Fragment => isolationFragment({ address: `10.244.0.1${index}`, ...chains });

type Step = readonly [name: string, change: Readonly<Record<string, Fragment | undefined>>];
const STEPS: readonly Step[] = [
  ['everything', { card: card(0), web: service(2), web6: service6(1), policy: policy(1), guest: guest(0) }],
  ['a card more', { card1: card(1) }],
  ['an endpoint more', { web: service(3), web6: service6(2) }],
  ['no endpoint', { web: service(0) }],
  ['endpoints again, and a member more', { web: service(4), policy: policy(2) }],
  ['too many endpoints', { web: service(17) }],
  ['a card less', { card1: undefined }],
  ['nothing', { card: undefined, web: undefined, web6: undefined, guest: undefined, policy: undefined }],
];
const seen: Record<string, unknown> = {};
for (const [name, change] of STEPS) {
  const before = { ...scripts };
  for (const ruleset of rulesets) {
    for (const [owner, fragment] of Object.entries(change))
      if (fragment) ruleset.put(owner, fragment);
      else ruleset.drop(owner);
    await ruleset.apply();
  }
  const lists = await Promise.all([BY_NFT, BY_US].map(list));
  const needed = Object.entries(scripts).map(([table, count]) => count - (before[table] ?? 0));
  seen[name] = { isSame: lists[0] === lists[1], needed, elements: lists[1]?.match(/elements = /g)?.length ?? 0 };
}
console.log(JSON.stringify(seen));

/** A table as nft lists it; elements come in any order. */
async function list(table: string): Promise<string> {
  const families = await Promise.all(['arp', 'inet'].map((family) => run('nft', ['list', 'table', family, table])));
  return families
    .join('')
    .replaceAll(table, 'TABLE')
    .replace(/elements = \{([^}]*)\}/g, (_, elements: string) => {
      const sorted = elements.split(',').map((each) => each.trim().replace(/\s+/g, ' '));
      return `elements = { ${sorted.sort().join(', ')} }`;
    });
}
