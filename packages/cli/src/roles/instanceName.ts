import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** A name that no other instance of a role has: that of the host, and something random. Fit for the name of an object. */
export function instanceName(host: string = hostname()): string {
  const label = host
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40);
  return `${label || 'host'}-${randomBytes(4).toString('hex')}`;
}
