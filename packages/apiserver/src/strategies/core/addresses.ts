import { isIP } from 'node:net';

/** Whether `text` is an address range such as 10.0.0.0/16. */
export function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const family = isIP(address);
  return family !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

/** An IPv4 address as a number, and back. */
export const ipv4ToNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

export const numberToIpv4 = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
