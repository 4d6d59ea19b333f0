import { createHash } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

/** What the kernel takes as the name of a network device, and nft as a word. */
const DEVICE = /^[A-Za-z][A-Za-z0-9_-]{0,14}$/;
const HOST_DEVICE = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,14}$/;
const MAC = /^[\da-f]{2}(:[\da-f]{2}){5}$/;
/** 32 bytes in base64. */
const WIREGUARD_KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
const CHAIN = /^[A-Za-z][A-Za-z0-9/_.-]{0,239}$/;
/** Names of namespaces and policies together can be longer than the 255 characters that the kernel takes. */
const LONGEST_CHAIN = 200;

/** Checks a text that becomes part of a command for nft or ip; one that does not have its form never gets there. */
const checked =
  (what: string, isValid: (text: string) => boolean) =>
  (text: string): string => {
    if (!isValid(text)) throw new Error(`${JSON.stringify(text)} is not ${what}`);
    return text;
  };

/** Whether a text can be the name of a device of the host. It begins like no option of a command, and leads to no other path. */
export function isHostDevice(text: string): boolean {
  return HOST_DEVICE.test(text);
}

export const ipv4 = checked('an IPv4 address', isIPv4);
export const ipv6 = checked('an IPv6 address', (text) => isIPv6(text) && !text.includes('%'));
export const mac = checked('a MAC address', (text) => MAC.test(text));
export const device = checked('the name of a network device', (text) => DEVICE.test(text));
/** The name of a device that somebody else made, which need not be a word. */
export const hostDevice = checked('the name of a network device', isHostDevice);
const checkedChain = checked('the name of a chain', (text) => CHAIN.test(text));
export const isWireguardKey = (text: string): boolean => WIREGUARD_KEY.test(text);
export const wireguardKey = checked('a key of WireGuard', isWireguardKey);
export const word = checked('a word', (text) => /^[\w.-]{1,64}$/.test(text));
export const cidr4 = checked('an IPv4 range', (text) => {
  const [address = '', length = '', ...rest] = text.split('/');
  return rest.length === 0 && isIPv4(address) && /^\d{1,2}$/.test(length) && Number(length) <= 32;
});
export const cidr6 = checked('an IPv6 range', (text) => {
  const [address = '', length = '', ...rest] = text.split('/');
  const isAddress = isIPv6(address) && !address.includes('%');
  return rest.length === 0 && isAddress && /^\d{1,3}$/.test(length) && Number(length) <= 128;
});
/** Checks a range of either family. */
export const cidr = (text: string): string => (text.includes(':') ? cidr6(text) : cidr4(text));

/** The name of a chain or a set; one that is too long is cut, and told from others by its hash. */
export function chain(text: string): string {
  if (text.length <= LONGEST_CHAIN) return checkedChain(text);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return checkedChain(`${text.slice(0, LONGEST_CHAIN - 17)}.${hash}`);
}

/** Checks the number of a port. */
export function port(value: number): number {
  if (!Number.isInteger(value) || value < 1 || value > 65_535) throw new Error(`${value} is not the number of a port`);
  return value;
}

/** Checks the number of a VXLAN. */
export function vni(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value >= 2 ** 24)
    throw new Error(`${value} is not the number of a VXLAN`);
  return value;
}

/** A protocol as nft and Services name it. */
export type Protocol = 'tcp' | 'udp' | 'sctp';
