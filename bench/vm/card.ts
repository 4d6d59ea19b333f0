/** How a guest beside Vireo is connected. */
export interface Card {
  /** The one that the card has already where missing. */
  readonly mac?: string;
  /** The libvirt network; QEMU's user networking where missing. */
  readonly network?: string;
}

/** The same domain with another card than Vireo's, whose tap is Vireo's: only what connects it differs. */
export function withCard(xml: string, { mac, network }: Card): string {
  const pattern = /<interface type='(?:ethernet|user)'>.*?<\/interface>/gs;
  if (xml.match(pattern)?.length !== 1) throw new Error(`the domain has not one card of the pod network:\n${xml}`);
  const source = network === undefined ? '' : `<source network='${network}'/>`;
  return xml.replace(pattern, (card) =>
    card
      .replace(/type='\w+'>/, `type='${network === undefined ? 'user' : 'network'}'>${source}`)
      .replace(/<mac [^>]*>/, (own) => (mac === undefined ? own : `<mac address='${mac}'/>`))
      .replace(/\s*<(target|mtu) [^>]*\/>/g, ''),
  );
}
