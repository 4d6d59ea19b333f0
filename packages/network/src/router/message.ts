import { addressBytes6 } from '../dhcp6/message.ts';
import { cidr6, mac } from '../text.ts';

/** What guests are told of their router. */
export interface Router {
  /** The hardware address of its end; missing where it is no router, and only tells how addresses are had. */
  readonly mac?: string;
  readonly mtu: number;
  /** Whether it leads everywhere, as it does unless this says otherwise. */
  readonly isDefault?: boolean;
  /** The ranges that are on the link itself. */
  readonly prefixes?: readonly string[];
  /** The ranges that it leads to. */
  readonly routes?: readonly string[];
}

/** Addresses and other settings come by DHCPv6 (RFC 4861, section 4.2). */
const MANAGED = 0b1100_0000;
const HOP_LIMIT = 64;
/** The longest that RFC 4861 permits: guests keep their router while no agent runs. */
const LIFETIME_SECONDS = 9_000;
/** For good. */
const INFINITY = 0xffff_ffff;
/** Guests reach such an address directly, but make up none of the range for themselves. */
const ON_LINK = 0b1000_0000;

/**
 * A router advertisement. In the pod network it names no prefix: a guest has one address, from DHCPv6, and reaches everybody
 * by its router, who is the only other one on its link. The kernel adds the checksum.
 */
export function routerAdvertisement(router: Router): Buffer {
  const { isDefault = true, prefixes = [], routes = [] } = router;
  const head = Buffer.alloc(16);
  head.set([134, 0, 0, 0, HOP_LIMIT, MANAGED]);
  head.writeUInt16BE(isDefault ? LIFETIME_SECONDS : 0, 6);
  return Buffer.concat([
    head,
    ...(router.mac === undefined ? [] : [Buffer.from(`0101${mac(router.mac).replaceAll(':', '')}`, 'hex')]),
    mtuOption(router.mtu),
    ...prefixes.map(prefixOption),
    ...routes.map(routeOption),
  ]);
}

function mtuOption(mtu: number): Buffer {
  const option = Buffer.alloc(8);
  option.set([5, 1]);
  option.writeUInt32BE(mtu, 4);
  return option;
}

function prefixOption(range: string): Buffer {
  const [address = '', length = ''] = cidr6(range).split('/');
  const option = Buffer.alloc(32);
  option.set([3, 4, Number(length), ON_LINK]);
  option.writeUInt32BE(INFINITY, 4);
  option.writeUInt32BE(INFINITY, 8);
  addressBytes6(address).copy(option, 16);
  return option;
}

/** RFC 4191, section 2.3. */
function routeOption(range: string): Buffer {
  const [address = '', length = ''] = cidr6(range).split('/');
  const option = Buffer.alloc(24);
  option.set([24, 3, Number(length), 0]);
  option.writeUInt32BE(LIFETIME_SECONDS, 4);
  addressBytes6(address).copy(option, 8);
  return option;
}
