import { choiceChains, choiceMaps, countedRule } from './choice.ts';
import { toMetadata } from './metadata.ts';
import { chains6, SETS6 } from './skeleton6.ts';
import { cidr4, device, ipv4, port, vni } from './text.ts';

/** What the rules of a node's network depend on. */
export interface NetworkPlan {
  /** The device that has the node's addresses in this network; our tables have its name, too. */
  readonly name: string;
  /** What guests have as gateway, DHCP and DNS server: the same on every node, so that a guest that moves keeps it. */
  readonly gateway: string;
  /** The node's own address, by which guests of other nodes answer it. */
  readonly own: string;
  /** The guests of this node. */
  readonly podRange: string;
  /** The guests of all nodes. */
  readonly clusterRange: string;
  readonly serviceRange: string;
  /** The device by which guests of other nodes are reached in the clear: VXLAN. */
  readonly overlay: string;
  /** The port at which nodes send packets of guests to each other. */
  readonly overlayPort: number;
  /** Tells the packets of one cluster from those of others at that port. */
  readonly vni: number;
  /** The device by which guests of other nodes are reached encrypted: WireGuard. */
  readonly wireguard: string;
  /** The Service of the API server: the one thing on this node besides DHCP and DNS that guests may reach. */
  readonly apiServer: { readonly address: string; readonly port: number };
  /** Missing where guests have no IPv6: nothing that they send by it is let through. */
  readonly ipv6?: Plan6;
}

/** The same for IPv6. */
export interface Plan6 {
  /** What guests have as DNS server. Their router is ROUTER_ADDRESS. */
  readonly gateway: string;
  readonly own: string;
  readonly podRange: string;
  readonly clusterRange: string;
  /** Missing where Services have IPv4 addresses only. */
  readonly serviceRange?: string;
}

/**
 * The tables of a node, empty but for what never changes. `arp` and the chain `sources`: who may send as whom. The rest of
 * `inet`: translation, Services and policies. A guest's tap belongs to no bridge, and the node routes between guests: so all
 * their packets pass these hooks, whatever br_netfilter is set to.
 *
 * What comes from other nodes comes in by `overlay` or `wireguard`: its sender has to be a guest that is reached by the same
 * device. Guests reach other nodes as little as their own, whose `peers` are all addresses and whose `underlays` those that
 * they send from: what a node sends to another is taken for its own word, and a guest's packets to the outside have the
 * address of its node. Node ports of Services are open to guests on all nodes.
 *
 * A policy's `accept` ends the base chain that it is in; so egress and ingress have one each, and a packet needs both.
 *
 * Addresses of load balancers and external IPs count only where they are this node's, and for guests where they are another
 * node's: a Service cannot take connections to anybody else's, nor to the servers of guests on the node.
 *
 * DHCP replies come from a guest's own node, which sends them itself: any that are forwarded are somebody else's.
 *
 * In `output`, `oifname` is the device of before a Service's translation, although the packet leaves by another.
 *
 * A guest that has no route may be on its way to another node: those who are connected to it wait (`absent`), and only who
 * is new is refused.
 *
 * The commands replace tables that are there. The kernel does all of it at once, so no packet passes in between.
 */
export function skeleton(plan: NetworkPlan): string {
  const table = device(plan.name);
  const own = `"${table}"`;
  const overlay = `{ "${device(plan.overlay)}", "${device(plan.wireguard)}" }`;
  const cluster = cidr4(plan.clusterRange);
  const gateway = ipv4(plan.gateway);
  const api = { address: ipv4(plan.apiServer.address), port: port(plan.apiServer.port) };
  return `add table arp ${table}
delete table arp ${table}
add table inet ${table}
delete table inet ${table}
table arp ${table} {
  set taps { type ifname; }
  set senders { type ifname . ether_addr . ipv4_addr; }
  set probes { type ifname . ether_addr; }
  chain input {
    type filter hook input priority 0; policy accept;
    iifname != @taps accept
    iifname . arp saddr ether . arp saddr ip @senders accept
    arp operation request arp saddr ip 0.0.0.0 iifname . arp saddr ether @probes accept
    drop
  }
}
table inet ${table} {
  set taps { type ifname; }
  set senders { type ifname . ether_addr . ipv4_addr; }
  set underlays { type ipv4_addr; }
  set peers { type ipv4_addr; }
  set openNodePorts { type inet_proto . inet_service; }
  set hairpin { type ipv4_addr . ipv4_addr; }
  set unserved { type ipv4_addr . inet_proto . inet_service; }
  set unservedExternal { type ipv4_addr . inet_proto . inet_service; }
  set unservedNodePorts { type inet_proto . inet_service; }
  map services { type ipv4_addr . inet_proto . inet_service : verdict; }
  map external { type ipv4_addr . inet_proto . inet_service : verdict; }
  map nodePorts { type inet_proto . inet_service : verdict; }
  map ports { type ipv4_addr : verdict; }
  map ingress { type ipv4_addr : verdict; }
  map egress { type ipv4_addr : verdict; }
  ${choiceMaps('IPv4')}
  ${SETS6}
  ${choiceMaps('IPv6')}
  ${choiceChains('IPv4')}
  ${plan.ipv6 ? choiceChains('IPv6') : ''}
  chain sources {
    type filter hook prerouting priority -300; policy accept;
    ${plan.ipv6 ? 'meta nfproto ipv6 accept' : `iifname ${overlay} meta nfproto ipv6 drop`}
    iifname ${overlay} ip saddr != ${cluster} drop
    iifname ${overlay} fib saddr . iif oif missing drop
    iifname != @taps accept
    iifname . ether saddr . ip saddr @senders accept
    ip saddr 0.0.0.0 ip daddr 255.255.255.255 udp sport 68 udp dport 67 accept
    drop
  }
  chain services {
    ${countedRule('IPv4', 'internal')}
    ip daddr . meta l4proto . th dport vmap @services
    iifname @taps ip daddr @peers ${countedRule('IPv4', 'external')}
    iifname @taps ip daddr @peers ip daddr . meta l4proto . th dport vmap @external
    fib daddr type != local return
    ip daddr 127.0.0.0/8 return
    ${countedRule('IPv4', 'nodePort')}
    meta l4proto . th dport vmap @nodePorts
    ip daddr { ${gateway}, ${ipv4(plan.own)} } return
    ${countedRule('IPv4', 'external')}
    ip daddr . meta l4proto . th dport vmap @external
  }
  chain refuse {
    meta l4proto tcp reject with tcp reset
    reject with icmpx type port-unreachable
  }
  chain absent {
    ct state established,related drop
    tcp flags & (syn | ack) != syn drop
    goto refuse
  }
  chain unserved {
    ip daddr . meta l4proto . th dport @unserved goto refuse
    fib daddr type != local return
    ip daddr { 127.0.0.0/8, ${gateway}, ${ipv4(plan.own)} } return
    ip daddr . meta l4proto . th dport @unservedExternal goto refuse
    meta l4proto . th dport @unservedNodePorts goto refuse
  }
  chain prerouting {
    type nat hook prerouting priority -100; policy accept;
    meta nfproto ipv4 jump services
  }
  chain natOutput {
    type nat hook output priority -100; policy accept;
    meta nfproto ipv4 jump services
  }
  chain dhcp {
    type filter hook postrouting priority -150; policy accept;
    oifname @taps ip saddr ${gateway} udp sport 67 udp dport 68 @th,144,16 & 0x8000 == 0x8000 ip daddr set 255.255.255.255
  }
  chain postrouting {
    type nat hook postrouting priority 100; policy accept;
    ct status dnat ip saddr . ip daddr @hairpin masquerade
    ct status dnat oifname ${overlay} ip saddr != ${cluster} snat ip to ${ipv4(plan.own)}
    ip saddr ${cluster} ip daddr != ${cluster} oifname != ${overlay} oifname != @taps masquerade
  }
  chain output {
    type filter hook output priority 0; policy accept;
    meta nfproto ipv6 accept
    jump unserved
    oifname ${own} ct status & dnat == 0 goto absent
    oifname @taps icmp type redirect drop
    oifname @taps udp sport 67 udp dport 68 accept
    ip daddr vmap @ports
  }
  chain input {
    type filter hook input priority 0; policy accept;
    meta nfproto ipv6 accept
    jump unserved
    udp dport ${port(plan.overlayPort)} @th,96,24 ${vni(plan.vni)} ip saddr != @underlays drop
    iifname ${overlay} ct state new jump overlay
    iifname != @taps accept
    ct state established,related accept
    udp dport 67 accept
    ip daddr ${gateway} meta l4proto { tcp, udp } th dport 53 accept
    ip daddr ${gateway} icmp type echo-request accept
    meta l4proto tcp ct status dnat ct original ip daddr ${api.address} ct original proto-dst ${api.port} accept
    goto refuse
  }
  chain overlay {
    ip daddr ${ipv4(plan.own)} icmp type echo-request return
    goto refuse
  }
  chain nodes {
    meta l4proto tcp ct status dnat ct original ip daddr ${api.address} ct original proto-dst ${api.port} return
    meta l4proto . th dport @openNodePorts return
    icmp type echo-request return
    goto refuse
  }
  chain forward {
    type filter hook forward priority 0; policy accept;
    meta nfproto ipv6 accept
    ct state established,related accept
    iifname @taps ct state invalid drop
    jump unserved
    oifname ${own} goto absent
    iifname @taps ${toMetadata('IPv4')} goto refuse
    iifname @taps ip daddr @peers jump nodes
    oifname @taps udp dport 68 drop
    oifname @taps ip daddr vmap @ports
    ip saddr . ip daddr @hairpin accept
    iifname @taps ip saddr vmap @egress
  }
  chain forwardIngress {
    type filter hook forward priority 1; policy accept;
    meta nfproto ipv6 accept
    ct state established,related accept
    ip saddr . ip daddr @hairpin accept
    oifname @taps ip daddr vmap @ingress
  }${plan.ipv6 ? chains6(plan.ipv6, own, overlay) : ''}
}
`;
}
