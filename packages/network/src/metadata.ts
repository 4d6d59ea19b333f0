/**
 * Where clouds tell a host who it is and give it their keys: link-local addresses, and others of the same use. No guest gets
 * there, whatever network it has.
 */
export const METADATA = {
  IPv4: ['169.254.0.0/16', '100.100.100.200/32'],
  IPv6: ['fe80::/10', 'fd00:ec2::/32', 'fd20:ce::/32'],
} as const;

/** What an nft rule matches that refuses them. */
export const toMetadata = (family: keyof typeof METADATA): string =>
  `${family === 'IPv6' ? 'ip6' : 'ip'} daddr { ${METADATA[family].join(', ')} }`;
