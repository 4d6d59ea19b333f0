/** How a guest beside Vireo is connected. */
export interface Card {
  readonly mac: string;
  /** The libvirt network; QEMU's user networking where missing. */
  readonly network?: string;
}

/** The same domain with another card: only what connects it differs. */
export function withCard(xml: string, { mac, network }: Card): string {
  const pattern = /<interface type='ethernet'>.*?<\/interface>/gs;
  if (xml.match(pattern)?.length !== 1) throw new Error(`the domain has not one card of a tap:\n${xml}`);
  const source = network === undefined ? '' : `<source network='${network}'/>`;
  return xml.replace(pattern, (card) =>
    card
      .replace("type='ethernet'>", `type='${network === undefined ? 'user' : 'network'}'>${source}`)
      .replace(/<mac [^>]*>/, `<mac address='${mac}'/>`)
      .replace(/\s*<(target|mtu) [^>]*\/>/g, ''),
  );
}
