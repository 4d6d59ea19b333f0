/** The network of a host's guests. Nothing here knows of Kubernetes. */
export { type Card, cardFragment, type PortRange } from './card.ts';
export { type Flows, forgetFlows } from './conntrack.ts';
export { CARD_SETTINGS, type ExpectedDevice, HOST as HOST_SETTINGS } from './devices/signs.ts';
export { watchDevices } from './devices/watchDevices.ts';
export { answerDhcp, type Lease } from './dhcp/answer.ts';
export { CardDhcpServer } from './dhcp/cardServer.ts';
export { addressBytes as dhcpAddresses, OPTION as DHCP_OPTION } from './dhcp/message.ts';
export { DhcpServer } from './dhcp/server.ts';
export type { Lease6 } from './dhcp6/answer.ts';
export { CardDhcp6Server } from './dhcp6/cardServer.ts';
export { Dhcp6Server } from './dhcp6/server.ts';
export { hostResolvers } from './dns/resolvConf.ts';
export { DnsServer } from './dns/server.ts';
export type { Resolution, Zone } from './dns/zone.ts';
export type { IpFamily } from './families.ts';
export { type FirewallConflict, firewallConflicts } from './firewall/conflicts.ts';
export { readForeignTables, readUplinks } from './firewall/read.ts';
export { hasIpv6 } from './forwarding6.ts';
export { closeHostTo, type GuestProcesses, processTable, removeProcessRules } from './guestProcesses.ts';
export { readAddresses4 } from './hostAddresses4.ts';
export { type HostAddress6, readAddresses6 } from './hostAddresses6.ts';
export {
  claimNetwork,
  ensureNetwork,
  ensureTap,
  findNetwork,
  GATEWAY_MAC,
  overlayName,
  readDeviceRoutes,
  readDeviceRoutes6,
  readLinkNumber,
  readLinks,
  readMtu,
  readRoutes,
  readTaps,
  remakeNetwork,
  removeAbandonedNetwork,
  removeLink,
  removeNetwork,
  type Tap,
  wireguardName,
} from './links.ts';
export { METADATA } from './metadata.ts';
export { type Element, type ElementChange, elementId, type Fragment, mergeFragments } from './nft/fragment.ts';
export { Ruleset } from './nft/ruleset.ts';
export { watchTables } from './nft/watchTables.ts';
export {
  addPeer,
  ensureOverlay,
  type OverlaySettings,
  overlayMtu,
  type Peer,
  peerFragment,
  removePeer,
  removeRange,
  VXLAN_PORT,
} from './overlay.ts';
export {
  type Block,
  type Direction,
  type Isolation,
  isolationFragment,
  memberElements,
  type PolicyPort,
  type PolicyRule,
  type PolicyRules,
  policyChain,
  policyFragment,
} from './policy.ts';
export {
  contains,
  guestAddresses,
  nodeAddress,
  nthAddress,
  overlaps,
  parseRange,
  prefixLength,
  toAddress,
  toNumber,
} from './ranges.ts';
export { canonical6, canonicalRange6, contains6, nthAddress6, overlaps6, parseRange6 } from './ranges6.ts';
export { RouterAdvertiser } from './router/advertiser.ts';
export { routeDevice } from './routes.ts';
export { CommandError, isMissingProgram, run, transact, useRunner } from './run.ts';
export { type CardAddress, FIRST_NUMBER, LAST_NUMBER, type SecondaryCard } from './secondary/card.ts';
export {
  type BridgeNetwork,
  type MacvtapNetwork,
  type ParsedNetwork,
  parseNetwork,
  type SecondaryNetwork,
} from './secondary/config.ts';
export { ConfigError } from './secondary/fields.ts';
export type { Ipam, NameServers } from './secondary/ipam.ts';
export { cardLease, chooseCardAddress, isInRange } from './secondary/lease.ts';
export { cardLease6, cardRouter, chooseCardAddress6, gatewayRange6, isInRange6 } from './secondary/lease6.ts';
export {
  ensureSecondaryCard,
  isOwnBridge,
  makeBridge,
  NO_VLANS,
  openBridge,
  readSecondaryLinks,
} from './secondary/links.ts';
export { readRoutes6, serverAddress6 } from './secondary/links6.ts';
export {
  cardRemovalScript,
  cardScript,
  type DhcpPorts,
  replyAddress,
  secondaryFragment,
  secondarySkeleton,
} from './secondary/rules.ts';
export { secondarySkeleton6 } from './secondary/rules6.ts';
export { type Endpoint, type ServicePort, serviceFragment } from './service.ts';
export { type NetworkPlan, type Plan6, skeleton } from './skeleton.ts';
export { ROUTER_ADDRESS } from './skeleton6.ts';
export { isWireguardKey, type Protocol } from './text.ts';
export {
  ensureWireguard,
  newWireguardKey,
  readWireguardPeers,
  unsetWireguardPeer,
  type WireguardEnd,
  type WireguardProblem,
  wireguardPublicKey,
} from './wireguard.ts';
