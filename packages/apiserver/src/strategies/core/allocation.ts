import { randomInt } from 'node:crypto';
import { ipv4ToNumber, numberToIpv4 } from './addresses.ts';

/** Where cluster IPs come from, and the one that is the API server's own. */
export const SERVICE_RANGE = '10.96.0.0/16';
export const KUBERNETES_SERVICE_IP = '10.96.0.1';
export const NODE_PORTS = { first: 30000, last: 32767 } as const;

const FIRST_IP = ipv4ToNumber('10.96.0.1');
const LAST_IP = ipv4ToNumber('10.96.255.254');
/** The beginning of each range is left to those who choose for themselves, as in Kubernetes. */
const CHOSEN_IPS = 255;
const CHOSEN_PORTS = 86;
const MAX_ATTEMPTS = 32;

/** A cluster IP nobody has; undefined when the range is full. */
export function allocateClusterIp(used: ReadonlySet<string>): string | undefined {
  const found = allocate(FIRST_IP, LAST_IP, CHOSEN_IPS, (value) => {
    const address = numberToIpv4(value);
    return address === KUBERNETES_SERVICE_IP || used.has(address);
  });
  return found === undefined ? undefined : numberToIpv4(found);
}

/** A node port nobody has; undefined when the range is full. */
export const allocateNodePort = (used: ReadonlySet<number>): number | undefined =>
  allocate(NODE_PORTS.first, NODE_PORTS.last, CHOSEN_PORTS, (port) => used.has(port));

export function isServiceIp(address: string): boolean {
  const value = ipv4ToNumber(address);
  return value >= FIRST_IP && value <= LAST_IP;
}

/** By chance first, so that writes that do not see each other yet rarely take the same; then one after the other. */
function allocate(
  first: number,
  last: number,
  chosen: number,
  isTaken: (value: number) => boolean,
): number | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const value = randomInt(first + chosen, last + 1);
    if (!isTaken(value)) return value;
  }
  for (let value = last; value >= first; value--) {
    if (!isTaken(value)) return value;
  }
  return undefined;
}
