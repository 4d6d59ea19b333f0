import { createHash } from 'node:crypto';

/** A hardware address for a bridge, which without one would have that of a port, and another when that port goes. */
export const bridgeMac = (network: string, bridge: string): string =>
  `02:58${createHash('sha256').update(`${network}/${bridge}`).digest('hex').slice(0, 8).replace(/../g, ':$&')}`;
