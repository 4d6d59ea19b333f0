import { isIP, isIPv4 } from 'node:net';

/** What a guest asks for when it looks a name up, in this order, as its resolver does with the search domains of its lease. */
export function candidates(name: string, namespace: string, domain: string): string[] {
  if (isIP(name)) return [reverseName(name)];
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const searched = [`${namespace}.svc.${domain}`, `svc.${domain}`, domain].map((suffix) => `${name}.${suffix}`);
  // A name with a dot is tried as it is first; one without is nobody's outside.
  return name.includes('.') ? [name, ...searched] : searched;
}

/** `10.96.0.1` as `1.0.96.10.in-addr.arpa`. */
export function reverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  const digits = all.map((group) => group.padStart(4, '0')).join('');
  return `${[...digits].reverse().join('.')}.ip6.arpa`;
}

/** Whether a name is of the cluster, so that nobody outside knows it. */
export const isInDomain = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);
