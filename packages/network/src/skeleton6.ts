import { countedRule } from './choice.ts';
import { toMetadata } from './metadata.ts';
import type { Plan6 } from './skeleton.ts';
import { cidr6, ipv6 } from './text.ts';

/** The node's end of every card, on every node: guests have it as their router. */
export const ROUTER_ADDRESS = 'fe80::1';

/** What a guest has to say on its own link: to find its router, and to be found. */
const NEIGHBOURS = 'nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert';
const GROUPS = 'mld-listener-report, mld2-listener-report, mld-listener-reduction';

/** The sets and maps of IPv6. They are there without IPv6, too: then they stay empty. */
export const SETS6 = `set senders6 { type ifname . ether_addr . ipv6_addr; }
  set cards6 { type ifname . ether_addr; }
  set peers6 { type ipv6_addr; }
  set openNodePorts6 { type inet_proto . inet_service; }
  set hairpin6 { type ipv6_addr . ipv6_addr; }
  set unserved6 { type ipv6_addr . inet_proto . inet_service; }
  set unservedExternal6 { type ipv6_addr . inet_proto . inet_service; }
  set unservedNodePorts6 { type inet_proto . inet_service; }
  map services6 { type ipv6_addr . inet_proto . inet_service : verdict; }
  map external6 { type ipv6_addr . inet_proto . inet_service : verdict; }
  map nodePorts6 { type inet_proto . inet_service : verdict; }
  map ports6 { type ipv6_addr : verdict; }
  map ingress6 { type ipv6_addr : verdict; }
  map egress6 { type ipv6_addr : verdict; }`;

/**
 * The chains of IPv6: the same as those of IPv4 at the same hooks, which leave its packets to these. What differs is the
 * link. A guest may have any link-local address, but speaks from it only to its router, and only what NEIGHBOURS says; it is
 * no router itself. What it sends to all DHCPv6 servers goes to ours, at an address that no other server of the host has.
 */
export function chains6(plan: Plan6, device: string, overlay: string): string {
  const cluster = cidr6(plan.clusterRange);
  const gateway = ipv6(plan.gateway);
  const own = ipv6(plan.own);
  return `
  chain sources6 {
    type filter hook prerouting priority -300; policy accept;
    meta nfproto ipv4 accept
    iifname ${overlay} ip6 saddr != ${cluster} drop
    iifname ${overlay} fib saddr . iif oif missing drop
    iifname != @taps accept
    icmpv6 type { nd-router-advert, nd-redirect } drop
    iifname . ether saddr . ip6 saddr @senders6 accept
    iifname . ether saddr != @cards6 drop
    ip6 saddr fe80::/10 ip6 daddr ff02::1:2 udp sport 546 udp dport 547 ip6 daddr set ${gateway} accept
    ip6 saddr { ::, fe80::/10 } ip6 daddr { fe80::/10, ff02::/16 } icmpv6 type { ${NEIGHBOURS}, ${GROUPS}, echo-request, echo-reply } accept
    drop
  }
  chain services6 {
    ${countedRule('IPv6', 'internal')}
    ip6 daddr . meta l4proto . th dport vmap @services6
    iifname @taps ip6 daddr @peers6 ${countedRule('IPv6', 'external')}
    iifname @taps ip6 daddr @peers6 ip6 daddr . meta l4proto . th dport vmap @external6
    fib daddr type != local return
    ip6 daddr { ::1, fe80::/10 } return
    ${countedRule('IPv6', 'nodePort')}
    meta l4proto . th dport vmap @nodePorts6
    ip6 daddr { ${gateway}, ${own} } return
    ${countedRule('IPv6', 'external')}
    ip6 daddr . meta l4proto . th dport vmap @external6
  }
  chain unserved6 {
    ip6 daddr . meta l4proto . th dport @unserved6 goto refuse
    fib daddr type != local return
    ip6 daddr { ::1, fe80::/10, ${gateway}, ${own} } return
    ip6 daddr . meta l4proto . th dport @unservedExternal6 goto refuse
    meta l4proto . th dport @unservedNodePorts6 goto refuse
  }
  chain prerouting6 {
    type nat hook prerouting priority -100; policy accept;
    meta nfproto ipv6 jump services6
  }
  chain natOutput6 {
    type nat hook output priority -100; policy accept;
    meta nfproto ipv6 jump services6
  }
  chain dhcp6 {
    type filter hook postrouting priority -150; policy accept;
    oifname @taps ip6 saddr ${gateway} udp sport 547 udp dport 546 ip6 saddr set ${ROUTER_ADDRESS}
  }
  chain postrouting6 {
    type nat hook postrouting priority 100; policy accept;
    ct status dnat ip6 saddr . ip6 daddr @hairpin6 masquerade
    ct status dnat oifname ${overlay} ip6 saddr != ${cluster} snat ip6 to ${own}
    ip6 saddr ${cluster} ip6 daddr != ${cluster} oifname != ${overlay} oifname != @taps masquerade
  }
  chain output6 {
    type filter hook output priority 0; policy accept;
    meta nfproto ipv4 accept
    jump unserved6
    oifname ${device} ip6 daddr != { fe80::/10, ff00::/8 } ct status & dnat == 0 goto absent
    oifname @taps icmpv6 type nd-redirect drop
    ip6 daddr vmap @ports6
  }
  chain input6 {
    type filter hook input priority 0; policy accept;
    meta nfproto ipv4 accept
    jump unserved6
    iifname ${overlay} ct state new jump overlay6
    iifname != @taps accept
    ct state established,related accept
    icmpv6 type { ${NEIGHBOURS}, ${GROUPS} } accept
    ip6 daddr ${gateway} udp sport 546 udp dport 547 accept
    ip6 daddr ${gateway} meta l4proto { tcp, udp } th dport 53 accept
    ip6 daddr { ${gateway}, ${ROUTER_ADDRESS} } icmpv6 type echo-request accept
    ip6 daddr ff00::/8 drop
    goto refuse
  }
  chain overlay6 {
    ip6 daddr ${own} icmpv6 type echo-request return
    goto refuse
  }
  chain nodes6 {
    meta l4proto . th dport @openNodePorts6 return
    icmpv6 type echo-request return
    goto refuse
  }
  chain forward6 {
    type filter hook forward priority 0; policy accept;
    meta nfproto ipv4 accept
    ct state established,related accept
    iifname @taps ct state invalid drop
    jump unserved6
    oifname ${device} goto absent
    iifname @taps ${toMetadata('IPv6')} goto refuse
    iifname @taps ip6 daddr @peers6 jump nodes6
    oifname @taps udp dport 546 drop
    oifname @taps ip6 daddr vmap @ports6
    ip6 saddr . ip6 daddr @hairpin6 accept
    iifname @taps ip6 saddr vmap @egress6
  }
  chain forwardIngress6 {
    type filter hook forward priority 1; policy accept;
    meta nfproto ipv4 accept
    ct state established,related accept
    ip6 saddr . ip6 daddr @hairpin6 accept
    oifname @taps ip6 daddr vmap @ingress6
  }`;
}
