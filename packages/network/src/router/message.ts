import { mac } from '../text.ts';

/** What guests are told of their router. */
export interface Router {
  /** The hardware address of its end. */
  readonly mac: string;
  readonly mtu: number;
}

/** Addresses and other settings come by DHCPv6 (RFC 4861, section 4.2). */
const MANAGED = 0b1100_0000;
const HOP_LIMIT = 64;
/** The longest that RFC 4861 permits: guests keep their router while no agent runs. */
const LIFETIME_SECONDS = 9_000;

/**
 * A router advertisement. It names no prefix: a guest has one address, from DHCPv6, and reaches everybody by its router, who
 * is the only other one on its link. The kernel adds the checksum.
 */
export function routerAdvertisement(router: Router): Buffer {
  const message = Buffer.alloc(32);
  message.set([134, 0, 0, 0, HOP_LIMIT, MANAGED]);
  message.writeUInt16BE(LIFETIME_SECONDS, 6);
  message.set([1, 1], 16);
  Buffer.from(mac(router.mac).replaceAll(':', ''), 'hex').copy(message, 18);
  message.set([5, 1], 24);
  message.writeUInt32BE(router.mtu, 28);
  return message;
}
