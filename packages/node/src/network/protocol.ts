import type { Protocol } from '@vireo/network';

/** A protocol of a Service or a policy as nftables names it; TCP where none is given. */
export function protocolOf(text: string | undefined): Protocol {
  const protocol = (text || 'TCP').toLowerCase();
  return protocol === 'udp' || protocol === 'sctp' ? protocol : 'tcp';
}
