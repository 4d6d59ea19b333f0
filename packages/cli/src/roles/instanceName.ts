import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** A name that no other instance of a role has: that of the host, and something random. Fit for the name of an object. */
export function instanceName(host: string = hostname()): string {
  return `${hostLabel(host)}-${randomBytes(4).toString('hex')}`;
}

/** The name of a host as a part of the name of an object. */
export const hostLabel = (host: string): string =>
  host
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40) || 'host';

/** The name of the instance that is a part of `vireo up`. */
export const EMBEDDED_INSTANCE = 'vireo-up';
